import type { Context } from 'koa';

/** Aborts when the connection of this request is gone before it is answered, so that nobody waits for nobody. */
export function closedSignal(context: Context): AbortSignal {
  const controller = new AbortController();
  context.res.once('close', () => controller.abort());
  return controller.signal;
}
