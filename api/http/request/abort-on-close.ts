import type { Context } from 'koa';

/** Returns a signal that aborts when the connection of the request closes, so that no work goes on for a client that left. */
export function abortOnClose(context: Context): AbortSignal {
  const controller = new AbortController();
  context.res.once('close', () => controller.abort());
  // A response that was closed before emits nothing any more.
  if (context.res.closed || context.req.socket.destroyed) controller.abort();
  return controller.signal;
}
