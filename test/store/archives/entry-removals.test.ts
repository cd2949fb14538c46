import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, countWaiting, makePlace } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const LIMIT = 100;

/** A chain of contents, each inside the previous one, all in one collection; the last one is in a second collection too. */
async function openNested(t: ExecutionContext, depth: number) {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope, collectionId: home } = place;
  const request = CreateCollectionRequest.parse({ name: 'another' });
  const { space } = createLexicalEmbedder();
  const other = await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
  const { contentIds } = await addContents(place, depth + 1);
  for (const [index, id] of contentIds.entries()) {
    if (index === 0) continue;
    await query(
      database,
      'update contents set part_of = :whole, part_root = :root, part_depth = :index where id = :id',
      { id, whole: contentIds[index - 1], root: contentIds[0], index },
    );
  }
  const run = { upload_id: null, run_id: uuidv7(), workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const last = contentIds.at(-1) ?? '';
  await stores.runControl.insert(scope, other, [{ ...run, content_id: last, dedupe_key: null, external_id: null }]);
  const receiptOf = (kind: 'content' | 'collection', subjectId: string) =>
    stores.deletions.insert(scope, { kind, subjectId, collectionId: home, createdBy: 'a test' });
  const removeHome = async () => {
    const deleted = { deletionId: await receiptOf('collection', home), collectionId: home };
    await stores.collectionDeletions.removeContents(scope, deleted, { contents: LIMIT, chunks: LIMIT });
  };
  /** Removes the entries that are found by a content, as its deletion does. */
  const removeParts = async (contentId: string) => {
    for (;;) {
      const parts = await stores.entryRemovals.nextBatch(scope, { contentId, limit: LIMIT });
      if (!parts) return;
      const [link] = parts.links;
      await stores.entryRemovals.complete(scope, {
        collectionId: link?.collection_id ?? '',
        contentIds: parts.contentIds,
      });
    }
  };
  const contents = async () =>
    (await query<{ id: string }>(database, 'select id from contents order by id')).map(({ id }) => id);
  return { database, stores, scope, home, contentIds, receiptOf, removeHome, removeParts, contents };
}

test('removes the deepest entries from every collection before the contents that contain them', async (t) => {
  const { stores, scope, contentIds, receiptOf, removeParts, contents } = await openNested(t, 2);
  const [whole = ''] = contentIds;
  await receiptOf('content', whole);
  await stores.runControl.startDeletion(scope, contentIds);
  await removeParts(whole);
  t.deepEqual(await contents(), [whole]);
});

for (const [asked, depth] of [
  [0, 1],
  [0, 3],
  [1, 2],
  [1, 3],
] as const) {
  test(`finds an entry in deletion by content ${asked} of ${depth} after the collection of its container was deleted`, async (t) => {
    const { stores, scope, contentIds, receiptOf, removeHome, removeParts, contents } = await openNested(t, depth);
    const subject = contentIds[asked] ?? '';
    await receiptOf('content', subject);
    await stores.runControl.startDeletion(scope, contentIds.slice(asked));
    await removeHome();
    t.deepEqual(await contents(), contentIds.slice(-1));
    await removeParts(subject);
    t.deepEqual(await contents(), []);
  });
}

test('finds an entry by its outermost container after the containers in between were removed', async (t) => {
  const { stores, scope, home, contentIds, removeParts, contents } = await openNested(t, 3);
  const [whole = '', first = '', second = '', last = ''] = contentIds;
  await stores.runControl.startDeletion(scope, [first, second, last]);
  await stores.entryRemovals.complete(scope, { collectionId: home, contentIds: [first, second] });
  t.deepEqual(await contents(), [whole, last].toSorted());
  await removeParts(whole);
  t.deepEqual(await contents(), [whole]);
});

test('makes an entry independent when its container is deleted but the entry is not', async (t) => {
  const { stores, scope, home, contentIds, receiptOf, removeParts, contents } = await openNested(t, 1);
  const [whole = '', part = ''] = contentIds;
  const here = { ...scope, collectionIds: [home] };
  await stores.runControl.startDeletion(here, contentIds);
  const deletionId = await receiptOf('content', whole);
  await removeParts(whole);
  await stores.deletions.complete(scope, deletionId, whole);
  t.deepEqual(await contents(), [part]);
  const content = await stores.contents.find(scope, part);
  t.is(content?.linked_to, null);
});

test('does not lock entries that a removal has released while the lock waited', async (t) => {
  const { database, stores, scope, home, contentIds } = await openNested(t, 2);
  const [whole = '', middle = '', last = ''] = contentIds;
  await stores.runControl.startDeletion({ ...scope, collectionIds: [home] }, [middle, last]);
  const waiting = await stores.transaction(async ({ entryRemovals }) => {
    for (const id of [last, middle]) await entryRemovals.complete(scope, { collectionId: home, contentIds: [id] });
    const held = stores.transaction((other) => other.entries.lockTree(scope, whole));
    await eventually('the other one waits', async () => (await countWaiting(database)) > 0, { everyMs: 10 });
    return { held };
  });
  t.deepEqual(await waiting.held, [whole]);
  t.is((await stores.contents.find(scope, last))?.linked_to, null);
});
