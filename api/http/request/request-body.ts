import type { Context, Next } from 'koa';

/** Time that a client may continue to send after it got its response, before its connection is closed. */
const LINGER_MS = 30_000;

const unansweredExpectations = new WeakSet<object>();

/** Records that this client waits for `100 Continue` before it sends its body. */
export function markExpectsContinue(request: object): void {
  unansweredExpectations.add(request);
}

/** Sends `100 Continue` to a client that waits for it. Must be called before a body is read. */
export function sendContinue(context: Context): void {
  if (unansweredExpectations.delete(context.req)) context.res.writeContinue();
}

/**
 * Makes it safe to respond before the body is read. The rest of the body is discarded, so that a client that reads only
 * after sending gets its response instead of a connection reset; a client that never stops sending is disconnected. A client
 * that got no `100 Continue` may send another request instead of the body. The two cannot be told apart, so the connection
 * is closed.
 */
export async function drainRequestBody(context: Context, next: Next): Promise<void> {
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
