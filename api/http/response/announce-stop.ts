import type { Middleware } from 'koa';

const READINESS = '/readyz';

/** Whether the process was told to stop. It still answers requests, until load balancers have noticed. */
export type Stopping = { isStopping: boolean };

/**
 * Middleware: once the process was told to stop, `/readyz` answers 503 with the status `stopping`, so that a load balancer sends
 * nothing more, and every response asks the client to open its next connection elsewhere. Requests are answered as before.
 */
export function announceStop(stopping: Stopping): Middleware {
  return async (context, next) => {
    await next();
    if (!stopping.isStopping) return;
    context.set('Connection', 'close');
    if (context.path !== READINESS) return;
    const { body } = context;
    context.status = 503;
    if (typeof body === 'string') context.body = JSON.stringify({ ...JSON.parse(body), status: 'stopping' });
  };
}
