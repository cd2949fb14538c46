import type { Middleware } from 'koa';
import { requestState } from '#api/http/request/request-state.ts';

/** Whether the process was told to stop. It still answers requests, until load balancers have noticed. */
export type Stopping = { isStopping: boolean };

/**
 * Middleware: once the process was told to stop, every response asks the client to open its next connection elsewhere, and
 * `/readyz` learns of it, so that a load balancer sends nothing more. Requests are answered as before.
 */
export function announceStop(stopping: Stopping): Middleware {
  return async (context, next) => {
    requestState(context).isStopping = stopping.isStopping;
    await next();
    if (stopping.isStopping) context.set('Connection', 'close');
  };
}
