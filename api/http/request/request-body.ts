import type { Context, Next } from 'koa';

/** How long a client may go on sending after it was answered, before its connection is cut. */
const LINGER_MS = 30_000;

const unansweredExpectations = new WeakSet<object>();

/** Remembers that this client waits for `100 Continue` before it sends its body. */
export function expectContinue(request: object): void {
  unansweredExpectations.add(request);
}

/** To be called before a body is read: asks a client that waits for it to send the body. */
export function beginBody(context: Context): void {
  if (unansweredExpectations.delete(context.req)) context.res.writeContinue();
}

/**
 * Makes answering before the body is read safe: what is still sent is thrown away, so that a client that reads only after
 * sending gets its answer instead of a reset, and one that never stops sending is cut off. A client that was not asked
 * for its body may send another request instead; the connection cannot tell, so it ends.
 */
export async function settleRequestBody(context: Context, next: Next): Promise<void> {
  const { req, res } = context;
  res.once('finish', () => {
    if (req.complete || req.destroyed) return;
    const cut = setTimeout(() => req.socket.destroy(), LINGER_MS);
    cut.unref();
    req.once('end', () => clearTimeout(cut));
    req.once('close', () => clearTimeout(cut));
    req.resume();
  });
  await next();
  if (unansweredExpectations.has(req)) context.set('Connection', 'close');
}
