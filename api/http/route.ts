import type { Context } from 'koa';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Principal, Caller, Permission, RequiredPermission } from '#domain/access/caller.ts';
import type { Limits, Services } from '#operations/services.ts';
import type { FormFile } from '#api/http/openapi/form-schema.ts';
import type { Tag } from '#api/http/openapi/tags.ts';
import { fingerprintOf } from '#api/http/request/idempotency.ts';
import type { Idempotency } from '#operations/idempotency.ts';
import type { Reply } from '#api/http/response/reply.ts';
import { parseInput } from '#api/http/request/validation.ts';
import { withoutNulls } from '#api/http/request/without-nulls.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A route without its handler: OpenAPI, validation, permissions and types are all derived from it. */
export type RouteData<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> = {
  method: Method;
  /** Relative to `/api/v1`, with parameters in braces: `/contents/{content_id}`. */
  path: string;
  tag: Tag;
  /** A short imperative sentence. */
  summary: string;
  description?: string;
  /** The permission that the caller needs; `authenticated` for any valid credentials, null for routes that need none. */
  permission: RequiredPermission | null;
  params?: P;
  query?: Q;
  body?: B;
  /** Largest JSON body in bytes, for routes that accept larger bodies than the default, or smaller ones only. */
  maxBodyBytes?: (limits: Limits) => number;
  /** A multipart form, which the handler reads itself; used for the OpenAPI document only. */
  form?: { schema: z.ZodType; files: Readonly<Record<string, FormFile>> };
  response: R;
  /** Media type of a response that is not JSON. */
  responseType?: 'application/octet-stream' | 'text/plain' | 'text/html' | 'text/markdown' | 'application/x-ndjson';
  /** Error bodies also have the member `error` of the OpenAI API, which its clients show. */
  errorForm?: 'openai';
  /** The route can answer with server-sent events as well: when, and which. */
  eventStream?: { description: string; example: string };
  status?: number;
  /** Other success statuses with the same body, with their meaning. */
  otherSuccesses?: Readonly<Record<number, string>>;
  /** Error statuses beyond those that follow from the other fields, with the reason. */
  otherStatuses?: Readonly<Record<number, string>>;
  /** Error statuses whose body may also be of `responseType`, as a page that people see. */
  pageStatuses?: readonly number[];
  /** Status of validation errors; 422 unless the interface specification requires 400. */
  validationStatus?: 400 | 422;
  /** True for operations that the interface specification does not have. */
  extension?: boolean;
  /** The administrator token is accepted, or is the only credential accepted. Then `principal` may be `'administrator'`. */
  administrator?: 'allowed' | 'required';
  /** Body or query are a credential: what is refused counts as a failed authentication of its address, and nothing else is limited. */
  carriesCredential?: boolean;
  /** A user of several workspaces does not need to name one. */
  workspaceOptional?: boolean;
  /** The route supports `Idempotency-Key`. */
  idempotent?: boolean;
  /** The path has no `/api/v1` prefix. */
  isAtRoot?: boolean;
};

/** A request before validation; only its principal is authenticated. */
export type RouteRequest = {
  services: Services;
  principal: Principal | null;
  context: Context;
  raw: { path: unknown; query: unknown; body: unknown };
  idempotencyKey: string | null;
};

/** What a handler receives; its types follow from the schemas of the route. */
export type HandlerInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = {
  services: Services;
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  /** Null without an `Idempotency-Key`, and where the route does not support it. */
  idempotency: Idempotency | null;
  context: Context;
};

export type Route = RouteData & { handle(request: RouteRequest): Promise<unknown> };

type RouteResult<R extends z.ZodType> = z.input<R> | Reply<z.input<R>>;

const NoFields = z.object({});

/** A route for API keys and users with the permission, or for all of them. */
export function route<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodObject = typeof NoFields,
  Q extends z.ZodObject = typeof NoFields,
>(
  data: RouteData<P, Q, B, R> & { permission: RequiredPermission },
  handler: (input: HandlerInput<P, Q, B> & { caller: Caller }) => Promise<RouteResult<R>>,
): Route {
  const schemas = schemasOf(data);
  return {
    ...data,
    async handle(request) {
      const { principal } = request;
      if (principal === null || principal === 'administrator')
        throw new AppError('unauthorized', 'This needs an API key.');
      return handler({ ...validateInput({ data, schemas }, request), caller: principal });
    },
  };
}

/** A route that also accepts, or requires, the administrator token. */
export function administrationRoute<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodObject = typeof NoFields,
  Q extends z.ZodObject = typeof NoFields,
>(
  data: RouteData<P, Q, B, R> & { permission: Permission; administrator: 'allowed' | 'required' },
  handler: (input: HandlerInput<P, Q, B> & { principal: Principal }) => Promise<RouteResult<R>>,
): Route {
  const schemas = schemasOf(data);
  return {
    ...data,
    async handle(request) {
      const { principal } = request;
      if (principal === null) throw new AppError('unauthorized', 'This needs an API key or the administrator token.');
      return handler({ ...validateInput({ data, schemas }, request), principal });
    },
  };
}

/** A route that needs no credentials. */
export function openRoute<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodObject = typeof NoFields,
  Q extends z.ZodObject = typeof NoFields,
>(
  data: RouteData<P, Q, B, R> & { permission: null },
  handler: (input: HandlerInput<P, Q, B>) => Promise<RouteResult<R>>,
): Route {
  const schemas = schemasOf(data);
  return { ...data, handle: async (request) => handler(validateInput({ data, schemas }, request)) };
}

/**
 * The schemas of a request. A query parameter that an operation does not have is a problem: ignored, a misspelled filter would
 * list everything. A query schema that is loose by itself stays so, and so do probes, whose callers may add parameters.
 */
function schemasOf({ params, query = NoFields, body, isAtRoot = false }: RouteData) {
  const isLoose = isAtRoot || query.def.catchall !== undefined;
  return { path: params ?? NoFields, query: isLoose ? query : query.strict(), body: body ?? z.unknown() };
}

function validateInput<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  { data, schemas }: { data: RouteData<P, Q, B>; schemas: ReturnType<typeof schemasOf> },
  request: RouteRequest,
): HandlerInput<P, Q, B> {
  const { raw, idempotencyKey } = request;
  // In a change, null could also mean that a value is to be removed.
  const body = data.method === 'post' ? withoutNulls(schemas.body, raw.body) : raw.body;
  const parsed = parseInput(schemas, { ...raw, body });
  const operation = `${data.method} ${data.path} ${JSON.stringify(raw.path)}`;
  return {
    services: request.services,
    context: request.context,
    // Without a schema, P, Q or B has its default type, which these values satisfy.
    params: parsed.path as z.output<P>,
    query: parsed.query as z.output<Q>,
    body: parsed.body as z.output<B>,
    idempotency:
      idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprintOf(operation, raw.body ?? null) },
  };
}
