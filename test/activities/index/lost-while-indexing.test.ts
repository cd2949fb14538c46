import test, { type ExecutionContext } from 'ava';
import { beginReindexing, reindexSlice } from '#activities/index/reindex.ts';
import { AppError } from '#domain/app-error.ts';
import { query } from '#store/postgres.ts';
import { longText } from '#test/support/harness/flow.ts';
import { openOwnReembedding, STEP } from './own-reembedding.ts';

/** A collection with a content whose chunks are embedded in more than three pages. */
async function openLarge(t: ExecutionContext) {
  const own = await openOwnReembedding(t);
  const batch = await own.add(longText(100));
  const [id = ''] = batch.content_ids;
  const row = async () => {
    const sql = 'select stage, indexed_chunks, chunk_count from content_collections where content_id = :id';
    const [found] = await query<{ stage: string; indexed_chunks: number; chunk_count: number }>(own.database, sql, {
      id,
    });
    if (!found) throw new Error('the content is gone');
    return found;
  };
  return {
    ...own,
    batch,
    row,
    /** Does `work` when the third page is embedded: the first one is in the index then. */
    atThirdPage(work: () => Promise<void>): void {
      let pages = 0;
      own.hooks.present = async () => {
        pages += 1;
        if (pages === 3) await work();
      };
    },
    async lose() {
      const [index] = await own.stores.generations.list(own.scope, own.collectionId);
      if (!index) throw new Error('the collection has no index');
      await own.worker.vectors.dropTenant(index.space, index.tenant);
    },
    /** Reindexes the workspace to the end. */
    async reindex() {
      const created = await own.stores.reindexings.insert(own.scope, 'a test');
      const args = { workspace_id: own.scope.workspaceId, reindexing_id: created?.id ?? '' };
      await beginReindexing(own.worker, args);
      t.is(await reindexSlice(own.worker, args, STEP), null);
      await own.stores.reindexings.complete(own.scope, args.reindexing_id);
    },
  };
}

test('a content that was half indexed when the index was lost is indexed from its first chunk after a reindexing', async (t) => {
  const own = await openLarge(t);
  const away = new AppError('dependency_unavailable', 'The embedding server is away.');
  own.atThirdPage(() => Promise.reject(away));
  await t.throwsAsync(own.ingest(own.batch), { is: away });
  const before = await own.row();
  t.is(before.stage, 'indexing');
  t.true(before.indexed_chunks > 0);
  await own.lose();
  await own.reindex();
  // Weaviate takes an object that has not changed for written, although its vector may be lost.
  own.worker.vectors.writeObjects = () => Promise.reject(new Error('what may be lost is to be rewritten'));
  t.like(await own.ingest(own.batch), { more: [] });
  const { stage, chunk_count } = await own.row();
  t.is(stage, 'ready');
  t.true(chunk_count > before.indexed_chunks);
  t.deepEqual(await own.objects(), { 1: chunk_count });
});

test('a time slice that began before a reindexing neither publishes its content nor records progress', async (t) => {
  const own = await openLarge(t);
  own.atThirdPage(() => own.reindex());
  t.like(await own.ingest(own.batch), { more: own.batch.content_ids });
  t.like(await own.row(), { stage: 'indexing', indexed_chunks: 0 });
  t.like(await own.ingest(own.batch), { more: [] });
  const { stage, chunk_count } = await own.row();
  t.is(stage, 'ready');
  t.deepEqual(await own.objects(), { 1: chunk_count });
});
