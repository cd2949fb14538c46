import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { currentTrace } from '#observability/current-trace.ts';
import { beginRequestState } from './request-state.ts';

const HEADER = 'X-Request-Id';
const TRACE_HEADER = 'X-Trace-Id';
/** Ids that are safe to print anywhere. Any other id is replaced, not cleaned. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Assigns an id to the request, the client's own where it is safe, and returns it in `X-Request-Id`. A traced request also has
 * the id of its trace in `X-Trace-Id`.
 */
export async function assignRequestId(context: Context, next: Next): Promise<void> {
  const sent = context.get(HEADER);
  const { requestId } = beginRequestState(context, SAFE_ID.test(sent) ? sent : randomUUID());
  context.set(HEADER, requestId);
  const trace = currentTrace();
  if (trace !== null) context.set(TRACE_HEADER, trace.trace_id);
  await next();
}
