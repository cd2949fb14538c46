import test from 'ava';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('waits for a concurrent creation of the same member and returns the role it got', async (t) => {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('one'), collectionIds: null };
  const seen = await stores.transaction(async (first) => {
    t.is(await first.members.lockRole(scope, 'ada'), null);
    const waiting = stores.transaction((second) => second.members.lockRole(scope, 'ada'));
    await eventually('the second waits', async () => {
      const sql = `select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      return (await query(database, sql)).length === 1;
    });
    await first.members.put(scope, { userId: 'ada', role: 'admin', createdBy: 'a test' });
    // Wrapped in an object, so that the promise is not awaited before the first transaction has committed.
    return { waiting };
  });
  t.is(await seen.waiting, 'admin');
});
