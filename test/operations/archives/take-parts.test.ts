import test from 'ava';
import { takeParts } from '#operations/archives/take-parts.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('entries are not added to a collection that is being deleted: the activity waits instead of retrying at once', async (t) => {
  const { services, database } = await openOwnServices(t);
  const place = await makePlace(database);
  const { collectionId, runId, contentIds } = await addContents(place);
  const holder = await services.stores.parts.holder(place.scope, { collectionId, runId }, contentIds[0] ?? '');
  if (!holder) throw new Error('it has no run');
  const run = { workspace_id: place.scope.workspaceId, collection_id: collectionId, run_id: runId };
  const taking = { holder, parts: [], next: 0, maxParts: 1, maxBytes: 1 };
  t.is(await takeParts(services, run, taking), 'taken');
  await query(database, `update collections set status = 'deleting' where id = :collectionId`, { collectionId });
  const thrown = await t.throwsAsync(takeParts(services, run, taking));
  t.like(thrown, { code: 'dependency_unavailable' });
});
