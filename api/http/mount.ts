import { finished } from 'node:stream';
import { Router } from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Principal } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { authenticateRequest, type Authenticator } from '#api/http/request/authenticate-request.ts';
import { readIdempotencyKey } from '#api/http/request/idempotency.ts';
import { readJsonBody } from '#api/http/request/json-body.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import type { PageTurn } from '#api/http/response/page-turns.ts';
import { Reply } from '#api/http/response/reply.ts';
import { serializeInTurn } from '#api/http/response/serialize-in-turn.ts';
import { nameRequestSpan } from '#observability/current-trace.ts';
import { requestState } from '#api/http/request/request-state.ts';
import type { Route } from './route.ts';
import type { Serving } from './serving.ts';

const API_PREFIX = '/api/v1';

/**
 * Returns a router that serves these routes and answers 405 for other methods on their paths. A path with a slash at its end is
 * another one: `DELETE /memories/` comes from a client whose id is empty, and must not delete all memories as `DELETE /memories` does.
 */
export function mountRoutes(routes: readonly Route[], serving: Serving): Router {
  const router = new Router({ strict: true });
  for (const route of routes) {
    router.register(koaPath(route), [route.method], (context) => serve(route, context, serving));
  }
  return router;
}

/** The path as clients see it, with parameters in braces. */
export function fullPath(route: Pick<Route, 'path' | 'isAtRoot'>): string {
  return route.isAtRoot === true ? route.path : API_PREFIX + route.path;
}

function koaPath(route: Route): string {
  return fullPath(route).replace(/\{(\w+)\}/g, ':$1');
}

/**
 * Authenticates first, then reads the body, then runs the handler: a caller without access learns nothing about the rest.
 */
async function serve(route: Route, context: Context, options: Serving): Promise<void> {
  const state = requestState(context);
  state.route = fullPath(route);
  nameRequestSpan({ method: context.method, route: state.route });
  state.validationStatus = route.validationStatus ?? 422;
  state.isQuiet = route.isAtRoot === true;
  state.errorForm = route.errorForm ?? null;
  const principal = await authenticate(route, context, options);
  const idempotencyKey = route.idempotent === true ? readIdempotencyKey(context) : null;
  const body =
    route.body === undefined ? undefined : await readJsonBody(context, route.maxBodyBytes?.(options.services.limits));
  using turn = await takeTurn(route, context, options);
  const handle = async () =>
    route.handle({
      services: withAskedLists(withRequestLog(options.services, context), context),
      principal,
      context,
      raw: { path: context['params'] ?? {}, query: { ...context.query }, body },
      idempotencyKey,
    });
  const address = state.clientAddress;
  const answer = await (route.carriesCredential === true ? options.limiter.countFailure(address, handle) : handle());
  await sendReply(context, answer, { route, options, turn });
}

/** Waits for the turn of a page of a list, because it may be large. */
async function takeTurn(route: Route, context: Context, { pages }: Serving): Promise<PageTurn | null> {
  const { caller } = requestState(context);
  const field = route.method === 'get' ? route.query?.shape['limit'] : undefined;
  if (caller === null || field === undefined) return null;
  // Without a limit, or with a wrong one, for which the handler answers an error, nothing is known.
  const limit = Number(z.safeParse(field, context.query['limit']).data ?? Infinity);
  const { scope, principal } = caller;
  // Filters are tested on rows that the page may not have.
  const isScan = context.query['filters'] !== undefined;
  const request = { workspaceId: scope.workspaceId, caller: principal, name: route.path, limit, isScan };
  return pages.take({ ...request, signal: () => abortOnClose(context) });
}

async function authenticate(route: Route, context: Context, authenticator: Authenticator): Promise<Principal | null> {
  const { permission, administrator, workspaceOptional } = route;
  if (permission === null) {
    // Probes of the process are not limited; of routes with a credential of their own, what is refused is.
    if (route.isAtRoot === true || route.carriesCredential === true) return null;
    await authenticator.limiter.countAnonymous(requestState(context).clientAddress, `${route.method} ${route.path}`);
    return null;
  }
  return authenticateRequest(authenticator, context, { permission, administrator, workspaceOptional });
}

/** The same services, with a log that names the request and the workspace in every line. */
export function withRequestLog(services: Services, context: Context): Services {
  const { requestId, caller } = requestState(context);
  const fields = caller === null ? {} : { workspace_id: caller.scope.workspaceId };
  return { ...services, log: services.log.child({ request_id: requestId, ...fields }) };
}

/** With `Cache-Control: no-cache`, the client decides by the list: it has to contain what was written before, by whomever. */
function withAskedLists(services: Services, context: Context): Services {
  const isCurrent = /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(context.get('Cache-Control'));
  return isCurrent ? withCurrentLists(services) : services;
}

/** The same services, whose lists contain all that was written before. */
export function withCurrentLists(services: Services): Services {
  return { ...services, lists: services.lists.current };
}

type Served = { route: Route; options: Serving; turn: PageTurn | null };

async function sendReply(context: Context, answer: unknown, served: Served): Promise<void> {
  const reply = answer instanceof Reply ? answer : Reply.json(answer);
  context.status = reply.status ?? served.route.status ?? 200;
  if (reply.content.kind === 'empty') {
    context.body = null;
    // Koa sets 204 when the body becomes null.
    if (reply.status !== null) context.status = reply.status;
  } else if (reply.content.kind === 'stream') {
    context.body = reply.content.stream;
    context.set('Content-Type', reply.content.mediaType);
  } else {
    const { body } = reply.content;
    const write = () => JSON.stringify(serializeResponse(body, context, served));
    const { caller } = requestState(context);
    const json = caller === null ? write() : await serializeInTurn(caller.scope.workspaceId, write);
    // As bytes, because Koa and Node.js would go through a long text three times, to count its bytes and to encode it.
    context.body = Buffer.from(json);
    context.type = 'application/json';
    const taken = served.turn?.written(json.length);
    if (taken) finished(context.res, taken);
  }
  // Last, because setting a body removes Content-Length.
  context.set({ ...reply.headers });
}

/**
 * Returns the body parsed by the schema of the response, so that columns that no schema names never leave the service. A
 * body that does not fit its schema is not sent. The log names the fields that do not fit, never their values.
 */
function serializeResponse(body: unknown, context: Context, served: Served): unknown {
  const parsed = served.route.response.safeParse(body);
  if (parsed.success) return parsed.data;
  const { requestId, route } = requestState(context);
  const where = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`).join(', ');
  served.options.services.log.error(
    { request_id: requestId, route, reason: where },
    'a response does not fit its schema',
  );
  throw new AppError('internal', 'A response does not fit its schema.');
}
