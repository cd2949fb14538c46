import test from 'ava';
import { stopReembedding } from '#activities/index/switch-index.ts';
import { AppError } from '#domain/app-error.ts';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import { deleteCollection } from '#operations/collections/delete-collection.ts';
import { query } from '#store/postgres.ts';
import { longText } from '#test/support/harness/flow.ts';
import { openOwnReembedding } from './own-reembedding.ts';

test('a text that the new embedder rejects ends the change with a message, and nothing of it is left', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.', 'A kestrel hovers.');
  await own.ingest(batch);
  await own.start();
  own.hooks.next = async (texts) => {
    if (texts.some((text) => text.includes('kestrel'))) throw new AppError('embedding_rejected', 'It is too long.');
  };
  const error = await t.throwsAsync(own.build(), { instanceOf: AppError, message: /rejects content [^:]+: It is too/ });
  const { code, message } = error;
  t.like(await stopReembedding(own.worker, { ...own.args(), code, message }), { status: 'failing' });
  await own.stores.reembeddings.showWaiting(own.scope, own.args().reembedding_id, 'Another part waits.');
  t.like(await own.drop(), { status: 'failed' });
  t.like(await own.read(), { status: 'failed', status_message: message });
  t.deepEqual(await own.objects(), { 1: 2 });
});

test('objects that the new index has lost are noticed before the switch, and written again', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.', 'A kestrel hovers.'));
  await own.start();
  await own.build();
  const building = (await own.stores.generations.list(own.scope, own.collectionId)).at(-1);
  if (!building) throw new Error('there is no index');
  await own.worker.vectors.dropTenant(building.space, building.tenant);
  for (let check = 0; check < 3; check += 1) t.like(await own.switchIndex(), { status: 'building' });
  await own.build();
  t.deepEqual(await own.objects(), { 1: 2, 2: 2 });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('an error that is not of a text pauses the change with a message, and what was built stays', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.', 'A kestrel hovers.'));
  await own.start();
  await own.build();
  const failure = { code: 'internal', message: 'The search index rejected a request as invalid.' } as const;
  t.like(await stopReembedding(own.worker, { ...own.args(), ...failure }), { status: 'paused' });
  t.like(await own.read(), {
    status: 'paused',
    status_message: `${failure.message} The re-embedding is paused: fix the cause and resume it, or cancel it.`,
  });
  t.deepEqual(await own.objects(), { 1: 2, 2: 2 });
  await own.control('resume');
  t.like(await own.begin(), { status: 'building' });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('a tenant that another process made and Weaviate has lost is made again by the build', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.', 'A kestrel hovers.'));
  await own.start();
  const building = (await own.stores.generations.list(own.scope, own.collectionId)).at(-1);
  if (!building) throw new Error('there is no index');
  await own.worker.vectors.dropTenant(building.space, building.tenant);
  t.like(await own.build(), { after: null });
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('an index that loses objects again and again pauses the change, which says so all the time', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.', 'A kestrel hovers.'));
  await own.start();
  const lossy = { ...own.worker.vectors, countObjects: async () => 1 };
  const messages = new Set<string | null | undefined>();
  for (let check = 0; check < 8; check += 1) {
    await own.build();
    t.like(await own.switchIndex({ vectors: lossy }), { status: 'building' });
    messages.add((await own.read())?.status_message);
  }
  const found = 'The new index has 1 objects for 2 chunks';
  t.deepEqual([...messages], [`${found}: they will be counted again.`, `${found}: everything is written again.`]);
  t.like(await own.switchIndex({ vectors: lossy }), { status: 'paused' });
  t.regex((await own.read())?.status_message ?? '', /^The new index has 1 objects for 2 chunks, also after/);
  await own.control('resume');
  await own.begin();
  await own.switchIndex({ vectors: lossy });
  t.regex((await own.read())?.status_message ?? '', /counted again/, 'it counts from one again');
});

test('the counts of rows and objects disagree in a row only when no count between agrees', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.'));
  await own.start();
  await own.build();
  const { reembedding_id: id } = own.args();
  await own.switchIndex({ vectors: { ...own.worker.vectors, countObjects: async () => 0 } });
  const batch = await own.add('A kestrel hovers.');
  own.hooks.next = () => Promise.reject(new AppError('dependency_unavailable', 'It is away.'));
  const vectors = { ...own.worker.vectors };
  vectors.countObjects = async (...of) => {
    await own.ingest(batch);
    return own.worker.vectors.countObjects(...of);
  };
  t.like(await own.switchIndex({ vectors }), { status: 'building' }, 'a publication does not wait for the count');
  t.regex((await own.read())?.status_message ?? '', /^Contents were published that the new index does not have/);
  t.is(await own.stores.reembeddings.countDisagreement(own.scope, id, true), 1);
});

test('a publication that stalls delays the switch, which does not wait for it', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  const stalled = await own.database.transaction();
  await stalled.raw('select 1 from index_generations for key share');
  await t.throwsAsync(own.switchIndex(), { code: 'dependency_unavailable' });
  await stalled.rollback();
  t.like(await own.switchIndex(), { status: 'switched' });
});

test('an embedder that rejects every text is not blamed on a content', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add('A heron waits.'));
  await own.start();
  own.hooks.next = () => Promise.reject(new AppError('embedding_rejected', 'There is no such model.'));
  const message = /^The embedder \S+ rejects every text, so its settings may be wrong: There is no such model\.$/;
  const error = await t.throwsAsync(own.build(), { instanceOf: AppError, code: 'internal', message });
  t.like(await own.read(), { status: 'building', status_message: `${error.message} The step is tried again.` });
});

test('two time slices that write the same contents count them once, and contents without text are not counted', async (t) => {
  const own = await openOwnReembedding(t);
  const batch = await own.add('A heron waits.', 'A kestrel hovers.', ' ');
  await own.ingest(batch);
  t.like(await own.start(), { total_contents: 2 });
  own.hooks.next = async () => {
    own.hooks.next = async () => undefined;
    await own.build();
  };
  await own.build();
  t.like(await own.read(), { contents: 2, total_contents: 2 });
});

test('the deletion of a collection wakes its change, which may be paused', async (t) => {
  const own = await openOwnReembedding(t);
  await own.start();
  await own.control('pause');
  await query(own.database, 'delete from wakes');
  await deleteCollection(own.worker, own.caller, own.collectionId);
  const workflow_id = reembedWorkflowId(own.args().reembedding_id);
  t.deepEqual(await query(own.database, 'select workflow_id from wakes'), [{ workflow_id }]);
});

test('a process that does not know of a second index is refused what it says about the old one, and holds up the switch', async (t) => {
  const own = await openOwnReembedding(t);
  const { database } = own;
  await own.ingest(await own.add('A heron waits.'));
  const late = await own.add('A kestrel hovers.');
  /** As statements of the release before re-embedding do. */
  const old = (set: string, on = database) => query(on, `update content_collections set ${set} where chunk_count = 1`);
  const says = ['active_version = active_version + 1', 'indexed_chunks = indexed_chunks + 1', 'projecting = false'];
  const reset = (projecting: boolean) =>
    database.transaction(async (on) => {
      await query(on, `select set_config('loci.knows_generations', 'on', true)`);
      await old(`active_version = version, indexed_chunks = 1, projecting = ${projecting}`, on);
    });
  const isAnyRefused = async () => {
    await reset(true);
    const outcomes = await Promise.allSettled(says.map((set) => old(set)));
    await reset(false);
    return outcomes.map(({ status }) => status === 'rejected');
  };
  t.deepEqual(await isAnyRefused(), [false, false, false], 'as long as there is one index');

  const early = await database.transaction();
  const progress = 'update content_collections set indexed_chunks = 1 where run_id = :run';
  await query(early, progress, { run: late.run_id });
  await own.start();
  await own.build();
  await t.throwsAsync(own.switchIndex(), { instanceOf: AppError, code: 'dependency_unavailable' });
  await early.commit();
  t.like(await own.switchIndex(), { status: 'switched' });
  t.deepEqual(await isAnyRefused(), [true, true, true]);
  const refused = await t.throwsAsync(old(says[0] ?? ''), { instanceOf: AppError, code: 'dependency_unavailable' });
  t.regex(String(refused.cause), /does not know\. Stop this process/);
  await own.drop();
  t.deepEqual(await isAnyRefused(), [true, true, true], 'it may not know that the old index is gone');
  await own.ingest(late);
  t.deepEqual(await own.objects(), { 2: 2 }, 'newer ones go on');
});

test('no more of long chunks is embedded at once than when contents are ingested', async (t) => {
  const own = await openOwnReembedding(t);
  await own.ingest(await own.add(longText(120)));
  await own.start();
  const pages: (readonly string[])[] = [];
  own.hooks.next = async (texts) => void pages.push(texts);
  await own.build();
  t.true(pages.length > 2);
  t.true(pages.every((texts) => texts.length === 1 || texts.join('').length <= 24_000));
  t.is((await own.read())?.contents, 1);
});
