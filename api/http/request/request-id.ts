import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { beginRequestState } from './request-state.ts';

const HEADER = 'X-Request-Id';
/** Ids that are safe to print anywhere. Any other id is replaced, not cleaned. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Assigns an id to the request, the client's own where it is safe, and returns it in `X-Request-Id`. */
export async function assignRequestId(context: Context, next: Next): Promise<void> {
  const sent = context.get(HEADER);
  const { requestId } = beginRequestState(context, SAFE_ID.test(sent) ? sent : randomUUID());
  context.set(HEADER, requestId);
  await next();
}
