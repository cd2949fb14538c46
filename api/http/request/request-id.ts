import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { beginRequestState } from './request-state.ts';

const HEADER = 'X-Request-Id';
/** Safe to print anywhere; anything else is replaced, not cleaned. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Gives every request an id, the client's own where it is sane, and tells it in `X-Request-Id`. */
export async function identifyRequest(context: Context, next: Next): Promise<void> {
  const sent = context.get(HEADER);
  const { requestId } = beginRequestState(context, SANE.test(sent) ? sent : randomUUID());
  context.set(HEADER, requestId);
  await next();
}
