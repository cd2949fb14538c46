import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError } from '#domain/app-error.ts';
import { nameRequestSpan } from '#observability/current-trace.ts';
import { requestState } from '#api/http/request/request-state.ts';
import type { McpRequest } from './mcp-request.ts';
import { LARGEST_RESULT_TOKENS, tokensOf } from './max-tokens.ts';
import { MCP_PATH } from './protected-resource.ts';
import { readInTurn, type InTurn } from './read-in-turn.ts';
import { toolErrorBody } from './tool-error.ts';
import type { Tool } from './tool.ts';

/**
 * Runs a tool for a caller who may use it. What goes wrong becomes the result, which the model reads, in the words of the API.
 * @throws the error of a call whose client has left
 */
export async function callTool(tool: Tool, request: McpRequest, args: unknown): Promise<CallToolResult> {
  const { services, context, signal, permitted } = request;
  requestState(context).tool = tool.name;
  nameRequestSpan({ method: context.method, route: MCP_PATH, tool: tool.name });
  const startedAt = performance.now();
  const record = (outcome: string) =>
    services.metrics.observeTool({ tool: tool.name, outcome }, performance.now() - startedAt);
  try {
    const caller = await permitted(tool.permission);
    const inTurn: InTurn = (page, read) => readInTurn(request, { caller, name: `tool ${tool.name}`, ...page }, read);
    const structuredContent = await tool.run({ services, caller, signal, inTurn }, args);
    signal.throwIfAborted();
    // What has been written is written: an error would make the model repeat it.
    const isRepeatable = tool.listed.annotations.readOnlyHint;
    if (isRepeatable && tokensOf(structuredContent) > LARGEST_RESULT_TOKENS) throw tooLarge();
    record('ok');
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (signal.aborted) {
      record('client_closed_request');
      throw error;
    }
    const text = JSON.stringify(toolErrorBody(context, error, services.log));
    record(requestState(context).errorCode ?? 'internal');
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function tooLarge(): AppError {
  const message = `The result has more than ${LARGEST_RESULT_TOKENS} tokens; ask for less, with a smaller limit.`;
  return new AppError('payload_too_large', message);
}
