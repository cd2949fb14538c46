import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { authorizeConnection } from '#operations/connections/authorize-connection.ts';
import { finishAuthorization } from '#operations/connections/finish-authorization.ts';
import type { Services } from '#operations/services.ts';
import { query } from '#store/postgres.ts';
import { openOwnConnection } from '#test/support/harness/own-connection.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';

type OwnConnection = Awaited<ReturnType<typeof openOwnConnection>>;

async function returnFromProvider({ services, caller, connectionId: id }: OwnConnection, using: Services = services) {
  const { body } = await authorizeConnection(services, caller, { id, body: {}, idempotency: null });
  const state = new URL(body.authorization_url).searchParams.get('state') ?? '';
  return finishAuthorization(using, new URLSearchParams({ state, code: 'x' }));
}

test('tokens of an authorization are stored once a database that was away meanwhile is back', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const outage = { name: '', ended: Promise.resolve() };
  const allow = (isAllowed: boolean) =>
    behind.query(`alter database ${outage.name} with allow_connections ${isAllowed}`);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = :name`;
  const own = await openOwnConnection(t, async () => {
    await allow(false);
    await behind.query(end, { name: outage.name });
    outage.ended = delay(1_000).then(async () => void (await allow(true)));
    return { body: { access_token: 'at-1', refresh_token: 'rt-1', expires_in: 3600 } };
  });
  const [found] = await query<{ name: string }>(own.database, 'select current_database() as name');
  outage.name = found?.name ?? '';
  const { stores } = own.services;
  let attempts = 0;
  const transaction: typeof stores.transaction = (work) => {
    attempts += 1;
    return stores.transaction(work);
  };
  t.is((await returnFromProvider(own, { ...own.services, stores: { ...stores, transaction } })).error, null);
  t.true(attempts > 1, 'the database was away');
  await outage.ended;
  t.like(await own.secrets(), { access_token: 'at-1', refresh_token: 'rt-1' });
});

test('tokens whose commit was not confirmed are written once', async (t) => {
  const tokens = { access_token: 'at-1', refresh_token: 'rt-1', expires_in: 3600 };
  const own = await openOwnConnection(t, () => ({ body: tokens }));
  const { stores } = own.services;
  let commits = 0;
  const transaction: typeof stores.transaction = async (work) => {
    const result = await stores.transaction(work);
    commits += 1;
    if (commits > 1) return result;
    // As the driver reports a connection that ended before the commit was confirmed.
    throw new AppError('dependency_unavailable', 'The database is not available at the moment; try again shortly.');
  };
  const using = { ...own.services, stores: { ...stores, transaction } };
  t.is((await returnFromProvider(own, using)).error, null);
  t.is(commits, 2);
  const rows = await query(own.database, 'select version from credentials');
  t.deepEqual(rows, [{ version: 2 }]);
});
