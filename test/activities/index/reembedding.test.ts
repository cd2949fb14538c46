import test from 'ava';
import { findReembedding } from '#activities/index/switch-index.ts';
import { reprojectContents } from '#activities/index/reproject-contents.ts';
import { AppError } from '#domain/app-error.ts';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { deleteCollection } from '#operations/collections/delete-collection.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { query } from '#store/postgres.ts';
import { openOwnReembedding } from './own-reembedding.ts';

test('the new index gets what was there, searches switch to it, and the old one is dropped', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.', 'A kestrel hovers.');
  await own.ingest(batch);
  t.like(await own.start(), { status: 'building', total_contents: 2 });
  const [old] = await own.stores.generations.list(own.scope, own.collectionId);
  t.like(await own.switchIndex(), { status: 'building' }, 'not before everything is written');
  t.like(await own.build(), { after: null });
  t.deepEqual(await own.objects(), { 1: 2, 2: 2 });
  t.like(await own.switchIndex(), { status: 'switched' });
  t.like(await own.stores.collections.findIndex(own.scope, own.collectionId), { index: { space: { model: 'next' } } });
  t.deepEqual(await own.objects(), { 1: 2, 2: 2 }, 'searches that have begun still find the old one');
  const [id = ''] = batch.content_ids;
  await own.stores.runControl.startDeletion(own.scope, [id]);
  t.is((await own.stores.deletions.findLinks(own.scope, id)).length, 2, 'a deletion goes to both');
  t.like(await own.drop(), { status: 'completed', contents: 2 });
  t.deepEqual(await own.objects(), { 2: 2 });
  if (!old) throw new Error('there was no index');
  t.false(await own.worker.vectors.tenantExists(old.space, old.tenant));
  t.truthy((await own.read())?.completed_at);
});

test('each step can be repeated after a crash, and counts nothing twice', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.', 'A kestrel hovers.'));
  await own.start();
  const broken = { ...own.worker.vectors, rewriteObjects: async () => Promise.reject(new Error('the worker dies')) };
  await t.throwsAsync(own.build({ vectors: broken }), { message: 'the worker dies' });
  t.like(await own.switchIndex(), { status: 'building' });
  for (let attempt = 0; attempt < 2; attempt += 1) await own.build();
  for (let attempt = 0; attempt < 2; attempt += 1) t.like(await own.switchIndex(), { status: 'switched' });
  for (let attempt = 0; attempt < 2; attempt += 1) t.like(await own.drop(), { status: 'completed' });
  t.like(await own.read(), { status: 'completed', contents: 2, chunks: 2 });
});

test('a publication during the build is in both indexes, without the build', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  const batch = await own.add('A heron waits.');
  t.like(await own.ingest(batch), { more: [], chunks: 1 });
  t.deepEqual(await own.objects(), { 1: 1, 2: 1 });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('an upload does not wait for the new embedder: what it misses, the build writes', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  const away = new AppError('dependency_unavailable', 'The embedding server is away; try again.');
  own.hooks.next = () => Promise.reject(away);
  t.like(await own.ingest(await own.add('A heron waits.')), { more: [] });
  t.deepEqual(await own.objects(), { 1: 1, 2: 0 });
  await t.throwsAsync(own.build(), { is: away });
  t.like(await own.read(), {
    status: 'building',
    status_message: 'The embedding server is away. The re-embedding waits and goes on by itself.',
  });
  own.hooks.next = async () => undefined;
  await own.build();
  t.like(await own.read(), { status_message: null });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('a publication that was prepared before the build is left to it', async (t) => {
  const own = await openOwnReembedding(t);
  own.hooks.present = async () => {
    own.hooks.present = async () => undefined;
    await own.start();
  };
  t.like(await own.ingest(await own.add('A heron waits.')), { more: [] });
  t.deepEqual(await own.objects(), { 1: 1, 2: 0 });
  t.like(await own.switchIndex(), { status: 'building' });
  await own.build();
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('a publication that was prepared for the old index is refused after the switch, and comes with the next time slice', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.');
  own.hooks.present = async () => {
    own.hooks.present = async () => undefined;
    await own.start();
    t.like(await own.switchIndex(), { status: 'switched' });
    await own.drop();
  };
  // Its tenant is gone as well.
  await t.throwsAsync(own.ingest(batch), { code: 'dependency_unavailable' });
  t.deepEqual(await own.objects(), { 2: 0 });
  t.like(await own.ingest(batch), { more: [] });
  t.deepEqual(await own.objects(), { 2: 1 });

  const late = await own.add('A kestrel hovers.');
  const run = { collectionId: own.collectionId, runId: late.run_id, contentIds: late.content_ids };
  await own.stores.runs.begin(own.scope, run, { stage: 'reading', upTo: 'splitting' });
  const contents = late.content_ids.map((content_id) => ({ content_id, chunks: 1 }));
  await query(
    own.database,
    `update content_collections set stage = 'indexing', planned_chunks = 1 where run_id = :id`,
    {
      id: late.run_id,
    },
  );
  const old = { contents, config: {}, tenant: `${own.collectionId}-1`, epoch: 0 };
  t.deepEqual(await own.stores.publications.publish(own.scope, run, old), []);
});

test('what a run has indexed before the switch is indexed again, and the old worker records nothing more', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.');
  const [id = ''] = batch.content_ids;
  const run = { collectionId: own.collectionId, runId: batch.run_id, tenant: `${own.collectionId}-1`, epoch: 0 };
  const sql = `update content_collections set stage = 'indexing', planned_chunks = 9 where content_id = :id`;
  await query(own.database, sql, { id });
  const indexed = async () =>
    (await query(own.database, 'select indexed_chunks from content_collections where content_id = :id', { id }))[0];
  await own.stores.chunks.advanceIndexed(own.scope, run, new Map([[id, 5]]));
  t.deepEqual(await indexed(), { indexed_chunks: 5 });
  await own.start();
  t.like(await own.switchIndex(), { status: 'switched' });
  t.deepEqual(await indexed(), { indexed_chunks: 0 });
  await own.stores.chunks.advanceIndexed(own.scope, run, new Map([[id, 6]]));
  t.deepEqual(await indexed(), { indexed_chunks: 0 });
});

test('a content that is deleted while the build embeds or writes it is not in the new index', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.', 'A kestrel hovers.', 'An owl listens.');
  await own.ingest(batch);
  const [first = '', second = ''] = batch.content_ids;
  await own.start();
  own.hooks.next = async () => void (await own.stores.runControl.startDeletion(own.scope, [first]));
  const vectors = { ...own.worker.vectors };
  vectors.rewriteObjects = async (...written) => {
    await own.worker.vectors.rewriteObjects(...written);
    await own.stores.runControl.startDeletion(own.scope, [second]);
  };
  await own.build({ vectors });
  t.like(await own.objects(first), { 2: 0 });
  t.like(await own.objects(second), { 2: 0 });
  t.like(await own.objects(), { 2: 1 });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('what an ended run has written is removed from both indexes', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  const batch = await own.add('A heron waits.');
  const target = { contentId: batch.content_ids[0] ?? '' };
  own.hooks.present = async () => void (await own.stores.runControl.control(own.scope, target, 'pause'));
  await own.ingest(batch);
  t.deepEqual(await own.objects(), { 1: 1, 2: 1 });
  await own.stores.runControl.control(own.scope, target, 'cancel');
  t.is(await removeResidues(own.worker), 1);
  t.deepEqual(await own.objects(), { 1: 0, 2: 0 });
});

test('a change of metadata reaches both indexes', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.');
  await own.ingest(batch);
  await own.start();
  await own.build();
  const [id = ''] = batch.content_ids;
  const sql = `update contents set metadata = '{"lang":"en"}', sync_status = 'stale' where id = :id`;
  await query(own.database, sql, { id });
  t.is(await reprojectContents(own.worker, { ...batch, after: null }), null);
  const filter = parseFilter({ lang: 'en' });
  if (!filter) throw new Error('there is no filter');
  for (const { space, tenant } of await own.stores.generations.list(own.scope, own.collectionId)) {
    const search = { type: 'keyword', queryText: 'heron', queryVector: null, limit: 9 } as const;
    const hits = await own.worker.vectors.search(space, tenant, { ...search, filter: compileFilter(filter) });
    t.is(hits.length, 1, tenant);
  }
});

test('uploads do not wait for a new embedder that hangs, and do not ask it again at once', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  let asked = 0;
  own.hooks.next = () => {
    asked += 1;
    return new Promise(() => undefined);
  };
  for (const text of ['A heron waits.', 'A kestrel hovers.', 'An owl listens.'])
    t.like(await own.ingest(await own.add(text)), { more: [] });
  t.is(asked, 1);
  t.deepEqual(await own.objects(), { 1: 3, 2: 0 });
});

test('a paused change is not written to by uploads', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  await own.control('pause');
  await own.ingest(await own.add('A heron waits.'));
  t.deepEqual(await own.objects(), { 1: 1, 2: 0 });
});

test('a pause or resume wakes the workflow that was started again in place of an ended one', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  const { reembedding_id: id } = own.args();
  const workflowId = `${reembedWorkflowId(id)}/again-1`;
  const [row] = await query<{ id: number }>(own.database, 'select id from outbox where workflow_id = :workflowId', {
    workflowId: reembedWorkflowId(id),
  });
  await own.stores.system.restart(row?.id ?? 0, workflowId);
  await own.control('pause');
  t.deepEqual(await query(own.database, 'select workflow_id from wakes'), [{ workflow_id: workflowId }]);
});

test('nothing more is written to the new index after a cancel, and it is dropped', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.'));
  await own.start();
  t.like(await own.control('pause'), { status: 'paused' });
  t.like(await own.build(), { status: 'paused', after: null });
  t.deepEqual(await own.objects(), { 1: 1, 2: 0 });
  for (let time = 0; time < 2; time += 1) t.like(await own.control('cancel'), { status: 'cancelling' });
  await own.ingest(await own.add('A kestrel hovers.'));
  t.deepEqual(await own.objects(), { 1: 2, 2: 0 });
  t.like(await own.drop(), { status: 'cancelled' });
  t.deepEqual(await own.objects(), { 1: 2 });
  await t.throwsAsync(own.control('pause'), { code: 'conflict' });
  t.like(await own.start(), { status: 'building' });
  t.deepEqual(Object.keys(await own.objects()), ['1', '3'], 'a number is used once');
});

test('the deletion of the collection ends the change', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.'));
  await own.start();
  await deleteCollection(own.worker, own.caller, own.collectionId);
  t.like(await own.build(), { status: 'gone', after: null });
  t.like(await own.switchIndex(), { status: 'gone' });
  t.like(await own.drop(), { status: 'gone' });
  t.like(await findReembedding(own.worker, own.args()), { status: 'gone' });
});
