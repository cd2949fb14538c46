import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { addContents, makePlace, makeReady, publicationOf, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

/** With time that grows with the square of this number, a statement exceeds its limit many times over. */
const CONTENTS = 10_000;

/** Contents of one run without an upload. */
async function fill({ database, scope, collectionId }: Place, runId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `with added as (
       insert into contents (workspace_id, collection_id, name, size, status, source)
       select :workspaceId, :collectionId, 'x', 1, 'pending', 'text' from generate_series(1, ${CONTENTS}) returning id
     )
     insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, reader)
     select id, :collectionId, :workspaceId, :runId, 'pending', 'native' from added returning content_id as id`,
    { workspaceId: scope.workspaceId, collectionId, runId },
  );
  return rows.map(({ id }) => id);
}

test('a statement that changes many runs is not slow because its connection has changed a single one before', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { scope, collectionId, database } = place;
  const [runId, counted, later] = [uuidv7(), uuidv7(), uuidv7()];
  const ids = await fill(place, runId);
  const plain = { collectionId, contentType: 'text', ingest: true, workflowId: null, errors: [], createdBy: 'a test' };
  for (const id of [counted, later])
    await place.stores.uploads.insert(scope, { ...plain, id, total: ids.length, contentIds: ids, isCounted: true });
  const onOneConnection = async (connection: Database) => {
    await query(connection, `set local statement_timeout = '20s'`);
    const { runControl } = createStores(connection);
    for (const contentIds of [ids.slice(0, 1), ids]) {
      for (const uploadId of [counted, later])
        await runControl.restart(scope, collectionId, {
          contentIds,
          runId,
          uploadId,
          workflowId: null,
          stage: 'pending',
        });
      await runControl.control(scope, { contentIds }, 'pause');
    }
  };
  await t.notThrowsAsync(database.transaction(onOneConnection));
  for (const id of [counted, later])
    t.deepEqual((await place.stores.uploads.progress(scope, id)).byStatus, { paused: CONTENTS });
  const written = await queryOne<{ count: number }>(database, 'select count(*) as count from content_count_changes');
  t.true((written?.count ?? CONTENTS) < 50, 'a statement writes what it changes in sum');
});

test('a statement that takes contents from one status to another writes one row of changes for each collection', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, database } = place;
  const run = await addContents(place, 5);
  const changesOf = async (change: () => Promise<unknown>) => {
    await query(database, 'delete from content_count_changes');
    await change();
    return query(
      database,
      `select status_before, status_after, contents, chunks from content_count_changes order by status_after`,
    );
  };
  const move = (status_before: string, status_after: string, counts: { contents: number; chunks?: number }) => ({
    status_before,
    status_after,
    chunks: 0,
    ...counts,
  });
  const [first = ''] = run.contentIds;
  const begin = () => stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' });
  t.deepEqual(await changesOf(begin), [move('pending', 'reading', { contents: 5 })]);
  t.deepEqual(await changesOf(() => stores.runControl.control(scope, { contentId: first }, 'pause')), [
    move('reading', 'paused', { contents: 1 }),
  ]);
  await stores.runControl.control(scope, { contentId: first }, 'resume');
  await makeReady(place, run);
  t.deepEqual(await changesOf(() => stores.publications.publish(scope, run, publicationOf(run))), [
    move('indexing', 'ready', { contents: 5, chunks: 10 }),
  ]);
});
