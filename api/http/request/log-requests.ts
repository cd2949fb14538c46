import type { Context, Next } from 'koa';
import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';
import { CLIENT_CLOSED_REQUEST } from '#api/http/response/http-error.ts';
import { requestState } from './request-state.ts';

/**
 * Middleware that logs and measures every request when its response is sent or abandoned. It logs the pattern of the route,
 * because real paths and queries contain ids and whatever clients type by mistake.
 */
export function logRequests(log: Log, metrics: Metrics) {
  return async (context: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    context.res.once('close', () => record({ context, log, metrics }, performance.now() - startedAt));
    await next();
  };
}

function record(request: { context: Context; log: Log; metrics: Metrics }, durationMs: number): void {
  const { context, log, metrics } = request;
  const state = requestState(context);
  const { method } = context;
  // Without sent headers the status is only Koa's default: the connection ended before there was a response.
  const status = context.headerSent ? context.status : CLIENT_CLOSED_REQUEST;
  metrics.observeRequest({ method: knownMethod(method), route: state.route, status }, durationMs);
  const write = state.isQuiet && status < 500 ? log.debug : log.info;
  write(
    {
      request_id: state.requestId,
      method,
      route: state.route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...(state.tool === null ? {} : { tool: state.tool }),
      ...(state.errorCode === null ? {} : { code: state.errorCode }),
      ...(context.res.writableFinished ? {} : { outcome: 'cut off' }),
      ...(state.caller === null
        ? {}
        : { workspace_id: state.caller.scope.workspaceId, api_key_id: state.caller.apiKeyId }),
      remote_address: state.clientAddress,
    },
    'request',
  );
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients may send any word as method, which must not create new metric series. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
