import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { AppError } from '#domain/app-error.ts';
import { nameRequestSpan } from '#observability/current-trace.ts';
import { withCurrentLists, withRequestLog } from '#api/http/mount.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { authenticateMessages } from '#api/http/request/authenticate-request.ts';
import { readJsonBody } from '#api/http/request/json-body.ts';
import { requestState } from '#api/http/request/request-state.ts';
import { HttpError } from '#api/http/response/http-error.ts';
import type { Serving } from '#api/http/serving.ts';
import { guardRequest, type RequestGuards } from './guard-request.ts';
import { createMcpServer } from './mcp-server.ts';
import {
  isMetadataPath,
  MCP_PATH,
  metadataUrl,
  protectedResourceMetadata,
  type ResourceSettings,
} from './protected-resource.ts';

export type McpSettings = RequestGuards & ResourceSettings;
export type McpOptions = { serving: Serving; version: string; settings: McpSettings };

/** Messages of one request, in versions of the protocol that allow several. Each counts as a request. */
const MAX_MESSAGES = 20;

/**
 * Middleware that serves the Model Context Protocol at `/mcp`, over stateless Streamable HTTP: every request is authenticated and
 * counted as one to a route, and answered by a server object of its own.
 */
export function createMcpEndpoint(options: McpOptions): Middleware {
  const { serving, settings } = options;
  return async (context, next) => {
    const isMetadata = isMetadataPath(context.path);
    if (!isMetadata && context.path !== MCP_PATH) {
      await next();
      return;
    }
    const state = requestState(context);
    state.route = isMetadata ? '/.well-known/oauth-protected-resource' : MCP_PATH;
    nameRequestSpan({ method: context.method, route: state.route });
    guardRequest(context, settings);
    requireMethod(context, isMetadata ? ['GET', 'HEAD'] : ['POST']);
    if (isMetadata) {
      await serving.limiter.countAnonymous(state.clientAddress, state.route);
      context.body = protectedResourceMetadata(context, settings);
      return;
    }
    state.resourceMetadataUrl = settings.issuer === null ? null : metadataUrl(context, settings);
    context.body = await answerMessages(context, options);
    // The answer is for one caller, whatever the SDK says of streams.
    context.set('Cache-Control', 'no-store');
  };
}

/** A stateless server has no stream to open with GET, and no session to end with DELETE. */
function requireMethod(context: Context, allowed: readonly string[]): void {
  if (allowed.includes(context.method)) return;
  context.set('Allow', allowed.join(', '));
  throw new HttpError(
    'method_not_allowed',
    `This path does not support ${context.method}. It supports ${allowed.join(', ')}.`,
  );
}

async function answerMessages(context: Context, { serving, version }: McpOptions): Promise<Response> {
  const caller = await authenticateMessages(serving, context);
  const parsedBody = await readJsonBody(context);
  await countMessages(context, serving, parsedBody);
  const signal = abortOnClose(context);
  // An assistant goes by what it reads, and by what it has just written.
  const services = withCurrentLists(withRequestLog(serving.services, context));
  const request = { ...caller, services, context, pages: serving.pages, signal, version };
  const handler = createMcpHandler(() => createMcpServer(request), {
    // Nothing changes that clients could subscribe to: tools and contents are listed anew when they are asked for.
    maxSubscriptions: 0,
    // A stream has signs of life while a tool works, without which proxies close the connection after a minute.
    responseMode: isToolCall(parsedBody) ? 'sse' : 'auto',
    onerror: (error) => services.log.debug({ error }, 'a message of the Model Context Protocol was rejected'),
  });
  context.res.once('close', () => void handler.close());
  return handler.fetch(webRequest(context, signal), { parsedBody });
}

function isToolCall(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/call';
}

/** The first message was counted with the request. */
async function countMessages(context: Context, { limiter }: Serving, body: unknown): Promise<void> {
  if (!Array.isArray(body)) return;
  if (body.length > MAX_MESSAGES) {
    throw new AppError(
      'payload_too_large',
      `A request may have at most ${MAX_MESSAGES} messages; send them one by one.`,
    );
  }
  const { caller } = requestState(context);
  if (caller === null) return;
  const counted = { principal: caller.principal, workspaceId: caller.scope.workspaceId };
  for (let further = 1; further < body.length; further += 1) await limiter.countRequest(context, counted);
}

/** The request as the SDK takes it: with the headers of the protocol, and without credentials. */
function webRequest(context: Context, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(context.headers)) {
    if (!/^(?:mcp-|accept$|content-type$)/.test(name) || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(`http://localhost${MCP_PATH}`, { method: context.method, headers, signal });
}
