import type { ExecutionContext } from 'ava';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { testStack } from '#test/support/harness/stack.ts';

/** Versions of the protocol with a handshake and a version of their own, the oldest that clients in use speak, and the latest. */
export const PROTOCOL_VERSIONS = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'];
const FIRST_WITHOUT_HANDSHAKE = '2026-07-28';

const ToolError = z.object({
  code: z.string(),
  detail: z.union([z.string(), z.array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() }))]),
  request_id: z.string().min(1),
});
const Called = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

export type McpOptions = {
  /** Sent with every request. */
  headers: Record<string, string>;
  version?: string;
  baseUrl?: string;
};

/** How a client speaks this version, and no other. */
export function speaking(version: string): ClientOptions {
  return version >= FIRST_WITHOUT_HANDSHAKE
    ? { versionNegotiation: { mode: { pin: version } } }
    : { supportedProtocolVersions: [version] };
}

/** Connects the official client to `/mcp`. Closed at the end of the test. */
export async function openMcpClient(t: ExecutionContext, { headers, version = '2025-11-25', baseUrl }: McpOptions) {
  const client = new Client({ name: 'loci-test', version: '1' }, speaking(version));
  const url = new URL('/mcp', baseUrl ?? testStack().baseUrl);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  t.teardown(() => client.close());
  return mcpCalls(client);
}

/** The calls of a connected client, with results that were checked. */
export function mcpCalls(client: Client) {
  const send = async (name: string, args: Record<string, unknown>) =>
    Called.parse(await client.callTool({ name, arguments: args }));
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Calls a tool, and checks that its text says the same as its structure. @throws Error when the tool fails */
    async call<S extends z.ZodType>(name: string, schema: S, args: Record<string, unknown> = {}): Promise<z.output<S>> {
      const { content, structuredContent, isError } = await send(name, args);
      const text = content[0]?.text ?? '';
      if (isError === true) throw new Error(`${name} failed: ${text}`);
      if (JSON.stringify(structuredContent) !== text) throw new Error(`${name}: the text is not the structure`);
      return schema.parse(structuredContent);
    },
    /** Calls a tool that is expected to fail. */
    async fail(name: string, args: Record<string, unknown> = {}) {
      const { content, isError } = await send(name, args);
      if (isError !== true) throw new Error(`${name} did not fail`);
      const error = ToolError.parse(JSON.parse(content[0]?.text ?? ''));
      const { detail } = error;
      const problems = typeof detail === 'string' ? [] : detail.map(({ loc, type }) => `${loc.join('.')} ${type}`);
      return { ...error, problems };
    },
  };
}

export type McpCalls = ReturnType<typeof mcpCalls>;
