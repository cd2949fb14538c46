import test from 'ava';
import { saveEntries } from '#operations/archives/save-entries.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('entries are not added to a collection that is being deleted: the activity waits instead of retrying at once', async (t) => {
  const { services, database } = await openOwnServices(t);
  const place = await makePlace(database);
  const { collectionId, runId, contentIds } = await addContents(place);
  const archive = await services.stores.entries.findRun(place.scope, { collectionId, runId }, contentIds[0] ?? '');
  if (!archive) throw new Error('the content has no run');
  const run = { workspace_id: place.scope.workspaceId, collection_id: collectionId, run_id: runId };
  const taking = { archive, entries: [], next: 0, maxEntries: 1, maxBytes: 1 };
  t.is(await saveEntries(services, run, taking), 'saved');
  await query(database, `update collections set status = 'deleting' where id = :collectionId`, { collectionId });
  const thrown = await t.throwsAsync(saveEntries(services, run, taking));
  t.like(thrown, { code: 'dependency_unavailable' });
});
