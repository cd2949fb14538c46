import type { Context } from 'koa';
import type { Caller } from '#domain/access/caller.ts';

/** What the middleware find out about a request, shared between them. */
export type RequestState = {
  requestId: string;
  /** Pattern of the matched route; `unmatched` until then. */
  route: string;
  /** Status of a validation error: 400 on upload and update content, otherwise 422. */
  validationStatus: number;
  caller: Caller | null;
  /** Of the connection, or of whom trusted proxies name. */
  clientAddress: string;
  /** True once a key or a bearer token was found: a response with 401 then says that it is not valid (RFC 6750, section 3.1). */
  hasCredentials: boolean;
  errorCode: string | null;
  /** Set where error bodies also have the member `error` of the OpenAI API. */
  errorForm: 'openai' | null;
  /** The tool that a message to `/mcp` calls; the last one of several. */
  tool: string | null;
  /** Where clients learn how to get a token (RFC 9728), named when credentials are missing; null where they cannot. */
  resourceMetadataUrl: string | null;
  /** True for requests that are polled, such as health checks: they are logged at `debug`. */
  isQuiet: boolean;
  /** True once the process was told to stop. */
  isStopping: boolean;
};

const states = new WeakMap<object, RequestState>();

/** Creates the state of a request. */
export function beginRequestState(context: Context, requestId: string): RequestState {
  const state: RequestState = {
    requestId,
    route: 'unmatched',
    validationStatus: 422,
    caller: null,
    clientAddress: context.req.socket.remoteAddress ?? '',
    hasCredentials: false,
    errorCode: null,
    errorForm: null,
    tool: null,
    resourceMetadataUrl: null,
    isQuiet: false,
    isStopping: false,
  };
  states.set(context.req, state);
  return state;
}

/** Returns the state of a request. @throws Error before `beginRequestState`. */
export function requestState(context: Context): RequestState {
  const state = states.get(context.req);
  if (state === undefined) throw new Error('assignRequestId must be the first middleware');
  return state;
}
