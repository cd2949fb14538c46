import Koa from 'koa';
import test from 'ava';
import { z } from 'zod';
import { answerErrors } from '#api/http/response/answer-errors.ts';
import { mountRoutes } from '#api/http/mount.ts';
import { assignRequestId } from '#api/http/request/request-id.ts';
import { openRoute, type Route } from '#api/http/route.ts';
import { openServing } from '#api/http/serving.ts';
import { listen } from '#api/server.ts';
import { AppError } from '#domain/app-error.ts';
import { createSilentLog } from '#observability/log.ts';
import type { Services } from '#operations/services.ts';

/** Routes without credentials use only the log of the services. */
const services = { log: createSilentLog() } as Services;

async function answersOf(route: Route) {
  const router = mountRoutes([route], openServing({ services }));
  const app = new Koa().use(assignRequestId).use(answerErrors(services.log)).use(router.routes());
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/probe`);
    const body: unknown = await response.json();
    return { status: response.status, body, retryAfter: response.headers.get('Retry-After') };
  } finally {
    await server.close(0);
  }
}

function probe(handler: () => Promise<{ name: string }>): Route {
  const data = {
    method: 'get',
    path: '/probe',
    tag: 'Process',
    summary: 'Probe',
    permission: null,
    isAtRoot: true,
  } as const;
  return openRoute({ ...data, response: z.object({ name: z.string() }) }, handler);
}

test('a response contains only the fields of its schema', async (t) => {
  const row = { name: 'x', hashed_secret: 'y' };
  t.deepEqual((await answersOf(probe(async () => row))).body, { name: 'x' });
});

test('a response that does not match its schema answers 500, and none of it is sent', async (t) => {
  const row: { name: string } = JSON.parse('{"name":null,"secret":"hunter2"}');
  const { status, body } = await answersOf(probe(async () => row));
  t.is(status, 500);
  t.like(body, { code: 'internal' });
  t.notRegex(JSON.stringify(body), /hunter2|secret|name/);
});

test('an unexpected error answers 500 without details', async (t) => {
  const { status, body } = await answersOf(
    probe(async () => {
      throw new Error('select * from secrets where password = hunter2 at /srv/loci/store.ts');
    }),
  );
  t.is(status, 500);
  t.like(body, { code: 'internal' });
  t.deepEqual(Object.keys(z.record(z.string(), z.string()).parse(body)).sort(), ['code', 'detail', 'request_id']);
  t.notRegex(JSON.stringify(body), /hunter2|select|srv/);
});

test('an internal error hides its message, and a transient one has a Retry-After header', async (t) => {
  const failing = (error: AppError) =>
    answersOf(
      probe(async () => {
        throw error;
      }),
    );
  const internal = await failing(new AppError('internal', 'key version 7 is missing'));
  t.is(internal.status, 500);
  t.notRegex(JSON.stringify(internal.body), /version 7/);
  const away = await failing(new AppError('dependency_unavailable', 'The index is away.', { retryAfterS: 2.2 }));
  t.is(away.status, 503);
  t.is(away.retryAfter, '3');
  t.like(away.body, { code: 'dependency_unavailable', detail: 'The index is away.' });
  t.is((await failing(new AppError('rate_limited', 'Slower.'))).retryAfter, '5');
});
