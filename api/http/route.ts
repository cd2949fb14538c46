import type { Context } from 'koa';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Principal, Caller, Permission } from '#domain/access/caller.ts';
import type { Limits, Services } from '#operations/services.ts';
import { fingerprintOf } from '#api/http/request/idempotency.ts';
import type { Idempotency } from '#operations/idempotency.ts';
import type { Reply } from '#api/http/response/reply.ts';
import { parseInput } from '#api/http/request/validation.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Everything about a route that is not its code. OpenAPI, validation, permissions and types all come from it. */
export type RouteData<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> = {
  method: Method;
  /** Below `/api/v1`, parameters in braces: `/contents/{content_id}`. */
  path: string;
  tag: string;
  /** A few words, in the imperative. */
  summary: string;
  description?: string;
  /** What the caller's key must permit; null for routes that need no credentials. */
  permission: Permission | null;
  params?: P;
  query?: Q;
  body?: B;
  /** Largest JSON body in bytes, where it is larger than everywhere else. */
  maxBodyBytes?: (limits: Limits) => number;
  /** A multipart form, which the handler reads itself. For the documentation. */
  form?: { schema: z.ZodType; files: Readonly<Record<string, 'one' | 'many'>> };
  /** JSON answer, or the media type of a stream. */
  response: R;
  responseType?: 'application/octet-stream' | 'text/plain' | 'text/html' | 'text/markdown';
  status?: number;
  /** Other successes with the same body, with their meaning. */
  otherSuccesses?: Readonly<Record<number, string>>;
  /** Statuses beyond those that follow from the rest, with the reason. */
  otherStatuses?: Readonly<Record<number, string>>;
  /** Status of validation answers; 422 unless the interface says 400. */
  validationStatus?: 400 | 422;
  /** True for what the interface specification does not have. */
  extension?: boolean;
  /** The administrator token is taken too, or alone; then `handler` may meet `'administrator'`. */
  administration?: 'too' | 'only';
  /** A user of several workspaces needs not say which. */
  anyWorkspace?: boolean;
  /** The route takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** Without `/api/v1` before it. */
  atRoot?: boolean;
  examples?: { body?: unknown; response?: unknown };
};

/** A request on its way to a handler, nothing of it validated but who asks. */
export type RouteRequest = {
  services: Services;
  asker: Principal | null;
  context: Context;
  raw: { path: unknown; query: unknown; body: unknown };
  idempotencyKey: string | null;
};

/** What a handler works with; its types flow from the schemas of the route. */
export type HandlerInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = {
  services: Services;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  /** Null without an `Idempotency-Key`, and where the route takes none. */
  idempotency: Idempotency | null;
  context: Context;
};

export type Route = RouteData & { handle(request: RouteRequest): Promise<unknown> };

type Answer<R extends z.ZodType> = z.input<R> | Reply<z.input<R>>;

const Nothing = z.object({});

/** A route for callers with a key that permits it. */
export function route<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodObject = typeof Nothing,
  Q extends z.ZodObject = typeof Nothing,
>(
  data: RouteData<P, Q, B, R> & { permission: Permission },
  handler: (input: HandlerInput<P, Q, B> & { caller: Caller }) => Promise<Answer<R>>,
): Route {
  return {
    ...data,
    async handle(request) {
      const { asker } = request;
      if (asker === null || asker === 'administrator') throw new AppError('unauthorized', 'This needs an API key.');
      return handler({ ...validated(data, request), caller: asker });
    },
  };
}

/** A route that the operator may use, by the administrator token. */
export function administrationRoute<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodObject = typeof Nothing,
  Q extends z.ZodObject = typeof Nothing,
>(
  data: RouteData<P, Q, B, R> & { permission: Permission; administration: 'too' | 'only' },
  handler: (input: HandlerInput<P, Q, B> & { asker: Principal }) => Promise<Answer<R>>,
): Route {
  return {
    ...data,
    async handle(request) {
      const { asker } = request;
      if (asker === null) throw new AppError('unauthorized', 'This needs an API key or the administrator token.');
      return handler({ ...validated(data, request), asker });
    },
  };
}

/** A route that needs no credentials. */
export function openRoute<
  R extends z.ZodType,
  P extends z.ZodObject = typeof Nothing,
  Q extends z.ZodObject = typeof Nothing,
>(
  data: RouteData<P, Q, z.ZodType, R> & { permission: null },
  handler: (input: HandlerInput<P, Q, z.ZodType>) => Promise<Answer<R>>,
): Route {
  return { ...data, handle: async (request) => handler(validated(data, request)) };
}

function validated<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  data: RouteData<P, Q, B>,
  request: RouteRequest,
): HandlerInput<P, Q, B> {
  const { raw, idempotencyKey } = request;
  const schemas = { path: data.params ?? Nothing, query: data.query ?? Nothing, body: data.body ?? z.unknown() };
  const parsed = parseInput(schemas, raw);
  const operation = `${data.method} ${data.path} ${JSON.stringify(raw.path)}`;
  return {
    services: request.services,
    context: request.context,
    // An absent schema leaves P, Q or B at its default, of which this is a value.
    params: parsed.path as z.output<P>,
    query: parsed.query as z.output<Q>,
    body: parsed.body as z.output<B>,
    idempotency:
      idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprintOf(operation, raw.body ?? null) },
  };
}
