import test, { type ExecutionContext } from 'ava';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, countWaiting, makePlace } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const SIZE = { contents: 10, chunks: 10 };

/** A content of two collections, and a way to remove it from both so that neither removal sees the other one's commit. */
async function openShared(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope, collectionId: home } = place;
  const request = CreateCollectionRequest.parse({ name: 'another' });
  const other = await stores.collections.insert(
    scope,
    { ...request, createdBy: 'a test' },
    createLexicalEmbedder().space,
  );
  const batch = await addContents(place);
  const [contentId = ''] = batch.contentIds;
  const run = { upload_id: null, run_id: batch.runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const link = { ...run, content_id: contentId, dedupe_key: null, external_id: null };
  await stores.runControl.insert(scope, other, [link]);
  const deletionOf = async (kind: 'content' | 'collection', subjectId: string, collectionId: string) => ({
    deletionId: await stores.deletions.insert(scope, { kind, subjectId, collectionId, createdBy: 'a test' }),
    collectionId,
  });
  const together = async (removals: readonly (() => Promise<unknown>)[]) => {
    const left = { count: 0 };
    const running = await database.transaction(async (blocker) => {
      await query(blocker, 'select from contents where id = :contentId for update', { contentId });
      const all: Promise<unknown>[] = [];
      for (const removal of removals) {
        left.count += 1;
        all.push(removal().finally(() => (left.count -= 1)));
        // A removal that does not wait for the content's lock has ended instead.
        await eventually('it waits or is over', async () => (await countWaiting(database)) === left.count);
      }
      return { all };
    });
    await Promise.all(running.all);
  };
  const contents = () => query(database, 'select id, collection_id from contents');
  return { stores, scope, home, other, contentId, deletionOf, together, contents };
}

test('deletes a content of two collections with the second of two concurrent deletions', async (t) => {
  const { stores, scope, home, other, deletionOf, together, contents } = await openShared(t);
  const deletions = await Promise.all([home, other].map((id) => deletionOf('collection', id, id)));
  await together(deletions.map((of) => () => stores.collectionDeletions.removeContents(scope, of, SIZE)));
  t.deepEqual(await contents(), []);
  for (const of of deletions) t.true(await stores.collectionDeletions.complete(scope, of));
});

test('deletes a content that is deleted in one collection while its other collection is deleted', async (t) => {
  const { stores, scope, home, other, contentId, deletionOf, together, contents } = await openShared(t);
  const inHome = { ...scope, collectionIds: [home] };
  await stores.runControl.startDeletion(inHome, [contentId]);
  const [content, collection] = [
    await deletionOf('content', contentId, home),
    await deletionOf('collection', other, other),
  ];
  await together([
    () => stores.deletions.complete(scope, content.deletionId, contentId),
    () => stores.collectionDeletions.removeContents(scope, collection, SIZE),
  ]);
  t.deepEqual(await contents(), []);
  t.true(await stores.collectionDeletions.complete(scope, collection));
});

test('the id of a content in a collection that it is being deleted from is free for another', async (t) => {
  const { stores, scope, home, other, contentId } = await openShared(t);
  t.true(await stores.contentChanges.setExternalId(scope, contentId, 'first'));
  await stores.runControl.startDeletion({ ...scope, collectionIds: [home] }, [contentId]);
  t.false(
    await stores.contentChanges.setExternalId(scope, contentId, 'second'),
    'the id would be deleted with the link',
  );
  const keys = { dedupeKeys: [], externalIds: ['first', 'second'] };
  t.deepEqual(await stores.existingContents.findIds(scope, home, keys), []);
  t.deepEqual(await stores.existingContents.findIds(scope, other, keys), []);
});
