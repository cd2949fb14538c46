import { Router } from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';
import type { Principal } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { admitRequest, type Access, type Admitting } from '#api/http/request/authentication.ts';
import { readIdempotencyKey } from '#api/http/request/idempotency.ts';
import { readJsonBody } from '#api/http/request/json-body.ts';
import { Reply } from '#api/http/response/reply.ts';
import { createRequestLimiter, type RequestLimits } from '#api/http/request/request-limiter.ts';
import { requestState } from '#api/http/request/request-state.ts';
import type { Route } from './route.ts';

export const API_PREFIX = '/api/v1';

export type MountOptions = {
  services: Services;
  /** API keys alone by default. */
  access?: Access;
  /** None by default. */
  requestLimits?: RequestLimits;
};

const KEYS_ONLY: Access = { users: null, administratorToken: null };
const NO_LIMITS: RequestLimits = { perCaller: 0, failuresPerAddress: 0 };

/** A router that serves these routes, and tells other methods on their paths apart from unknown paths. */
export function mountRoutes(routes: readonly Route[], options: MountOptions): Router {
  const router = new Router();
  const serving = {
    ...options,
    access: options.access ?? KEYS_ONLY,
    limiter: createRequestLimiter(options.requestLimits ?? NO_LIMITS),
  };
  for (const route of routes) {
    router.register(koaPath(route), [route.method], (context) => serve(route, context, serving));
  }
  return router;
}

/** The path as clients see it, parameters in braces. */
export function fullPath(route: Pick<Route, 'path' | 'atRoot'>): string {
  return route.atRoot === true ? route.path : API_PREFIX + route.path;
}

function koaPath(route: Route): string {
  return fullPath(route).replace(/\{(\w+)\}/g, ':$1');
}

/** Who asks, then what they send, then what they want: a caller who may not ask learns nothing about the rest. */
async function serve(route: Route, context: Context, options: MountOptions & Admitting): Promise<void> {
  const state = requestState(context);
  state.route = fullPath(route);
  state.validationStatus = route.validationStatus ?? 422;
  state.quiet = route.atRoot === true;
  const asker = await askerOf(route, context, options);
  const idempotencyKey = route.idempotent === true ? readIdempotencyKey(context) : null;
  const body =
    route.body === undefined ? undefined : await readJsonBody(context, route.maxBodyBytes?.(options.services.limits));
  const answer = await route.handle({
    services: withRequestLog(options.services, context),
    asker,
    context,
    raw: { path: context['params'] ?? {}, query: { ...context.query }, body },
    idempotencyKey,
  });
  send(context, answer, { route, options });
}

async function askerOf(route: Route, context: Context, admitting: Admitting): Promise<Principal | null> {
  const { permission, administration, anyWorkspace } = route;
  if (permission === null) return null;
  return admitRequest(admitting, context, { permission, administration, anyWorkspace });
}

function withRequestLog(services: Services, context: Context): Services {
  const { requestId, caller } = requestState(context);
  const fields = caller === null ? {} : { workspace_id: caller.scope.workspaceId };
  return { ...services, log: services.log.child({ request_id: requestId, ...fields }) };
}

function send(context: Context, answer: unknown, how: { route: Route; options: MountOptions }): void {
  const reply = answer instanceof Reply ? answer : Reply.json(answer);
  context.status = reply.status ?? how.route.status ?? 200;
  if (reply.content.kind === 'nothing') {
    context.body = null;
    // Koa takes no body for a 204.
    if (reply.status !== null) context.status = reply.status;
  } else if (reply.content.kind === 'stream') {
    context.body = reply.content.stream;
    context.set('Content-Type', reply.content.mediaType);
  } else {
    context.body = JSON.stringify(serializeResponse(reply.content.body, context, how));
    context.type = 'application/json';
  }
  // Last: a new body takes Content-Length away.
  context.set({ ...reply.headers });
}

/**
 * The body as its schema has it: columns that no schema names never leave the service, and what does not fit is not sent at
 * all, for nobody knows what is in it. The log says which fields, never their values.
 */
function serializeResponse(body: unknown, context: Context, how: { route: Route; options: MountOptions }): unknown {
  const parsed = how.route.response.safeParse(body);
  if (parsed.success) return parsed.data;
  const { requestId, route } = requestState(context);
  const where = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`).join(', ');
  how.options.services.log.error({ request_id: requestId, route, reason: where }, 'an answer does not fit its schema');
  throw new AppError('internal', 'An answer does not fit its schema.');
}
