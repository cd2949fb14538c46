import type { Context, Next } from 'koa';
import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';
import { CLIENT_CLOSED_REQUEST } from '#api/http/response/http-error.ts';
import { requestState } from './request-state.ts';

/**
 * Logs and measures every request when its answer is sent or given up. The path is the route's pattern: real paths and
 * queries hold ids and what clients type by mistake.
 */
export function recordRequests(log: Log, metrics: Metrics) {
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
  // A connection that ended before there was an answer: what stands in the status is a default.
  const status = context.headerSent ? context.status : CLIENT_CLOSED_REQUEST;
  metrics.observeRequest({ method: knownMethod(method), route: state.route, status }, durationMs);
  const write = state.quiet && status < 500 ? log.debug : log.info;
  write(
    {
      request_id: state.requestId,
      method,
      route: state.route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...(state.errorCode === null ? {} : { code: state.errorCode }),
      ...(context.res.writableFinished ? {} : { outcome: 'cut off' }),
      ...(state.caller === null
        ? {}
        : { workspace_id: state.caller.scope.workspaceId, api_key_id: state.caller.apiKeyId }),
      remote_address: context.req.socket.remoteAddress,
    },
    'request',
  );
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients may send any word as method; a metric must not grow by it. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
