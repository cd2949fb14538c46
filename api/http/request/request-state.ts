import type { Context } from 'koa';
import type { Caller } from '#domain/access/caller.ts';

/** What the middleware learn about a request, for those around them. */
export type RequestState = {
  requestId: string;
  /** Pattern of the matched route; `unmatched` before. */
  route: string;
  /** Status of a validation answer: 400 on upload and update content, else 422. */
  validationStatus: number;
  caller: Caller | null;
  errorCode: string | null;
  /** Answers that are asked for all the time and not worth a line at `info`. */
  quiet: boolean;
};

const states = new WeakMap<object, RequestState>();

/** Begins the state of a request. */
export function beginRequestState(context: Context, requestId: string): RequestState {
  const state: RequestState = {
    requestId,
    route: 'unmatched',
    validationStatus: 422,
    caller: null,
    errorCode: null,
    quiet: false,
  };
  states.set(context.req, state);
  return state;
}

/** The state of a request that has begun. */
export function requestState(context: Context): RequestState {
  const state = states.get(context.req);
  if (state === undefined) throw new Error('the request id middleware has to come first');
  return state;
}
