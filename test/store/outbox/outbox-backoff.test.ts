import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { deleteContentJob } from '#domain/uploads/ingest-jobs.ts';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('retries a start that has failed for days without delaying others', async (t) => {
  const database = await openOwnDatabase(t);
  const { outbox, system } = createStores(database);
  const { scope, collectionId } = await makePlace(database);
  const add = () => {
    const key = { workspace_id: scope.workspaceId, collection_id: collectionId };
    return outbox.add(scope, [deleteContentJob({ ...key, content_id: uuidv7(), deletion_id: uuidv7() })]);
  };
  await add();
  await query(database, `update outbox set attempts = 20000`);
  await add();
  await query(database, `update outbox set next_attempt_at = now()`);
  t.deepEqual(
    (await system.claimDueStarts(10)).map(({ attempts }) => attempts),
    [20_001, 1],
  );
  t.deepEqual(await system.claimDueStarts(10), [], 'what is taken is nobody else’s');
  const rows = await query<{ id: number }>(database, `select id from outbox order by attempts desc`);
  for (const { id } of rows) await system.recordStartFailure(id, 'away');
  const waits = await query<{ wait: number }>(
    database,
    `select extract(epoch from next_attempt_at - now())::float as wait from outbox order by attempts desc`,
  );
  const [oldest, newest] = waits;
  t.true((oldest?.wait ?? 99) <= 30);
  t.true((newest?.wait ?? 99) <= 1);
});
