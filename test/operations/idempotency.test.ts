import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { withIdempotency, type Answer } from '#operations/idempotency.ts';
import { query } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';
import { makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnServices, type OwnServices } from '#test/support/harness/own-services.ts';

type Body = { number: number };
type Asked = {
  key?: string;
  fingerprint?: string;
  route?: string;
  principal?: string;
  /** Runs within the effect, after its row was inserted. */
  duringEffect?: (stores: Stores) => Promise<unknown>;
};

/** Requests whose effect inserts one workspace row, so that effects can be counted. */
async function openRequests(t: ExecutionContext) {
  const own: OwnServices = await openOwnServices(t);
  const place: Place = await makePlace(own.database);
  let effects = 0;
  const ask = ({ key = 'k', fingerprint = 'f', route = 'POST /things', principal, duringEffect }: Asked = {}) =>
    withIdempotency<Body>(own.services, principal === undefined ? place.caller : { ...place.caller, principal }, {
      route,
      idempotency: { key, fingerprint },
      effect: async (stores): Promise<Answer<Body>> => {
        effects += 1;
        const number = effects;
        await stores.system.insertWorkspace(`effect ${number}`);
        await duringEffect?.(stores);
        return { status: 201, body: { number } };
      },
    });
  const committed = async () => {
    const sql = `select name from workspaces where name like 'effect %' order by name`;
    return (await query<{ name: string }>(own.database, sql)).map(({ name }) => name);
  };
  const codeOf = async (asked: Asked) =>
    (await t.throwsAsync(ask(asked), { instanceOf: AppError }))?.code ?? 'no error';
  return { ...own, place, ask, committed, codeOf };
}

test('a repeated request gets the same response, and its effect happens once', async (t) => {
  const { ask, committed } = await openRequests(t);
  t.deepEqual(await ask(), { status: 201, body: { number: 1 }, replayed: false });
  t.deepEqual(await ask(), { status: 201, body: { number: 1 }, replayed: true });
  t.deepEqual(await committed(), ['effect 1']);
});

test('another body or another route with a used key is rejected', async (t) => {
  const { ask, codeOf, committed } = await openRequests(t);
  await ask();
  t.is(await codeOf({ fingerprint: 'another' }), 'idempotency_mismatch');
  t.is(await codeOf({ route: 'POST /others' }), 'idempotency_mismatch');
  t.deepEqual(await committed(), ['effect 1']);
});

test('keys of different callers are independent', async (t) => {
  const { ask, committed } = await openRequests(t);
  await ask();
  t.false((await ask({ principal: 'somebody else' })).replayed);
  t.is((await committed()).length, 2);
});

test('a second request gets a conflict while the first one runs, and then the first response', async (t) => {
  const { ask, codeOf, committed } = await openRequests(t);
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const first = ask({
    duringEffect: async () => {
      reached.resolve();
      await goOn.promise;
    },
  });
  await reached.promise;
  t.is(await codeOf({}), 'idempotency_conflict');
  t.is(await codeOf({ fingerprint: 'another' }), 'idempotency_conflict');
  t.false((await ask({ key: 'another' })).replayed, 'other keys are unused');
  goOn.resolve();
  t.false((await first).replayed);
  t.like(await ask(), { body: { number: 1 }, replayed: true });
  t.is((await committed()).length, 2);
});

test('of many identical concurrent requests one takes effect, and the others get its response or a conflict', async (t) => {
  const { ask, committed } = await openRequests(t);
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => ask()));
  const numbers = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.body.number] : []));
  const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  t.true(numbers.length > 0);
  t.is(new Set(numbers).size, 1);
  t.true(codes.every((code) => code === 'idempotency_conflict'));
  t.is((await committed()).length, 1);
});

test('a request whose connection dies releases its key at once and leaves nothing behind', async (t) => {
  const { ask, committed, database } = await openRequests(t);
  const dead = ask({
    duringEffect: async () => {
      const holders = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`;
      await query(database, holders);
    },
  });
  await t.throwsAsync(dead);
  t.deepEqual(await committed(), []);
  t.like(await ask({ fingerprint: 'another' }), { body: { number: 2 }, replayed: false });
  t.deepEqual(await committed(), ['effect 2']);
});

test('a failed effect leaves nothing behind, and its key can be used again, even with another body', async (t) => {
  const { ask, committed, database } = await openRequests(t);
  const failing = ask({ duringEffect: () => Promise.reject(new Error('the effect failed')) });
  await t.throwsAsync(failing, { message: 'the effect failed' });
  t.deepEqual(await committed(), []);
  t.deepEqual(await query(database, 'select key from idempotency_keys'), []);
  t.false((await ask({ fingerprint: 'another' })).replayed);
});

test('a response is stored for a day and cannot be read in the database', async (t) => {
  const { ask, committed, database, services } = await openRequests(t);
  await ask();
  const [row] = await query<{ answer: string; hours: number }>(
    database,
    `select answer, extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys`,
  );
  t.is(Math.round(Number(row?.hours)), 24);
  t.false(row?.answer.includes('number'));
  await query(database, `update idempotency_keys set expires_at = now() - interval '1 second'`);
  t.like(await ask({ fingerprint: 'another' }), { body: { number: 2 }, replayed: false });
  t.true((await ask({ fingerprint: 'another' })).replayed);
  await query(database, `update idempotency_keys set expires_at = now() - interval '1 second'`);
  await services.stores.system.purgeIdempotencyKeys(1000);
  t.deepEqual(await query(database, 'select key from idempotency_keys'), []);
  t.is((await committed()).length, 2);
});
