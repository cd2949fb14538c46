import test from 'ava';
import { createPostgres, query } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startNodeRelay } from '#test/support/servers/node-relay.ts';

test('a statement that a silent server never answers is given up, and its connection with it', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const relay = await startNodeRelay([new URL(own.url).host]);
  t.teardown(() => relay.close());
  const url = Object.assign(new URL(own.url), { host: relay.address }).href;
  const pool = createPostgres({ url, poolSize: 2, applicationName: 'loci-test', statementTimeoutMs: 100 });
  t.teardown(() => pool.destroy());
  await query(pool, 'select 1');
  relay.hold(true);
  const hanging = [query(pool, 'select 1'), query(pool, 'select 2')];
  for (const outcome of await Promise.allSettled(hanging)) {
    t.is(outcome.status, 'rejected');
    if (outcome.status === 'rejected') t.like(outcome.reason, { code: 'dependency_unavailable' });
  }
  relay.hold(false);
  // The socket is closed a moment after the error.
  const answer = await eventually('new connections are opened', () => query(pool, 'select 1 as one'));
  t.deepEqual(answer, [{ one: 1 }]);
});
