import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { enterAttempt } from '#activities/uploads/enter-attempt.ts';
import { ingestContents } from '#activities/uploads/ingest-contents.ts';
import { ingestSlice } from '#activities/uploads/ingest-slice.ts';
import { prepareIngestion } from '#activities/uploads/ingestion.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { AppError } from '#domain/app-error.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { createEmbedderSet } from '#providers/embedders/index.ts';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { createReaderPool } from '#providers/readers/reader-pool.ts';
import { query } from '#store/postgres.ts';
import { countWaiting } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

const TEXTS = 6;

/** A batch of stored texts in a collection whose embedder is a server that rejects its first requests with 503. */
async function openBatch(t: ExecutionContext, { rejections = 0 } = {}) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  let left = rejections;
  const server = await startOpenAIServer(() =>
    (left -= 1) >= 0 ? { status: 503, headers: { 'retry-after': '1' } } : { dimensions: 8 },
  );
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'a-model', dimensions: 8 });
  const documents = createReaderPool({ processes: 1, memoryBytes: 2 ** 29, timeoutMs: 60_000, maxTextBytes: 2 ** 20 });
  t.teardown(async () => {
    await documents.close();
    await embedder.close();
    await server.close();
  });
  const { stores, blobs } = services;
  const scope = { workspaceId: await stores.system.insertWorkspace('a test'), collectionIds: null };
  const request = { ...CreateCollectionRequest.parse({ name: 'a test' }), createdBy: 'a test' };
  const collectionId = await stores.collections.insert(scope, request, embedder.space);
  const runId = uuidv7();
  const contents = await Promise.all(
    Array.from({ length: TEXTS }, async (_, number) => {
      const bytes = Buffer.from(`Note ${number} about barley.`);
      const blob = await blobs.put(scope.workspaceId, Readable.from([bytes]), 1_000);
      const described = { description: null, metadata: {}, file_data: {}, external_id: null, url: null };
      const file = { type: 'text/plain', size: blob.sizeBytes, content_hash: blob.sha256, source: 'text' as const };
      return { ...described, ...file, id: uuidv7(), name: `${number}.txt`, created_by: 'a test', status: 'pending' };
    }),
  );
  await stores.contents.insert(scope, collectionId, contents);
  const run = { upload_id: null, run_id: runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const runs = contents.map(({ id }) => ({ ...run, content_id: id, dedupe_key: null, external_id: null }));
  await stores.runControl.insert(scope, collectionId, runs);
  const batch: Batch = {
    workspace_id: scope.workspaceId,
    collection_id: collectionId,
    run_id: runId,
    content_ids: contents.map(({ id }) => id).toSorted(),
  };
  // Ingestion of stored texts uses no other service of a worker.
  const worker = { ...services, embedders: createEmbedderSet(embedder), documents } as unknown as WorkerServices;
  const progress = { chunks: 0, ready: 0 };
  const attempt = (number: number) =>
    ingestSlice(worker, batch, { attempt: number, signal: new AbortController().signal, progress });
  const sizes = () => server.requests.map((one) => one.input.length);
  return { attempt, progress, sizes, stores, scope, batch, database, worker };
}

test('after a 503 the next attempt waits as long as the server asked, and embeds as many texts at once as before', async (t) => {
  const { attempt, sizes, database, batch } = await openBatch(t, { rejections: 1 });
  const error = await t.throwsAsync(attempt(1), { instanceOf: AppError });
  t.like(error, { code: 'dependency_unavailable', retryDelayS: 1 });
  const sql = 'select content_id from content_collections where run_id = :runId and dead_attempts > 0';
  t.deepEqual(await query(database, sql, { runId: batch.run_id }), [], 'no content is suspected');
  const outcome = await until(
    () => attempt(2).catch(() => null),
    (result) => result !== null,
  );
  t.like(outcome, { more: [], paused: [], chunks: TEXTS });
  // Those that were read first may be embedded before the others.
  t.true(sizes().length < TEXTS, `${sizes().join(', ')} texts at once`);
});

test('attempts that pile up while their process is suspended are no deaths, and those of other processes are', async (t) => {
  // So many that every attempt seems to hang count as deaths, so that the content ends.
  for (const [stalled, stage] of [
    [1, 'ready'],
    [0, 'failed'],
    [8, 'failed'],
  ] as const) {
    const { attempt, stores, scope, batch, database } = await openBatch(t);
    using atWork = new DisposableStack();
    for (let count = 0; count < stalled; count += 1) atWork.use(enterAttempt(batch));
    const run = { collectionId: batch.collection_id, runId: batch.run_id, contentIds: batch.content_ids };
    // Two earlier attempts have claimed the contents, and have not ended.
    for (let earlier = 0; earlier < 2; earlier += 1)
      await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'reading' });
    while ((await attempt(3)).more.length > 0);
    const sql = 'select distinct stage from content_collections where run_id = :runId';
    t.deepEqual(await query(database, sql, { runId: batch.run_id }), [{ stage }]);
  }
});

test('attempts that go on at the same moment after a suspension are no deaths', async (t) => {
  const { attempt, stores, scope, batch, database } = await openBatch(t);
  using atWork = new DisposableStack();
  atWork.use(enterAttempt(batch));
  const run = { collectionId: batch.collection_id, runId: batch.run_id, contentIds: batch.content_ids };
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'reading' });
  // Held until all of them wait, so that each claims the contents before another goes on.
  const transaction = await database.transaction();
  await query(transaction, 'select from content_collections where run_id = :runId for update', { runId: batch.run_id });
  const piledUp = [2, 3, 4, 5].map((number) => attempt(number));
  await until(
    () => countWaiting(database),
    (waiting) => waiting === piledUp.length,
  );
  await transaction.commit();
  await Promise.all(piledUp);
  const sql = 'select distinct stage from content_collections where run_id = :runId';
  t.deepEqual(await query(database, sql, { runId: batch.run_id }), [{ stage: 'ready' }]);
});

test('what was changed while it was ingested is told by the next attempt, when one dies after its publication', async (t) => {
  const { attempt, stores, scope, batch } = await openBatch(t);
  const [changed = ''] = batch.content_ids;
  await stores.contentChanges.update(scope, changed, { metadata: { lang: 'en' }, externalId: null });
  t.deepEqual((await attempt(1)).stale, [changed]);
  // Nobody has got that answer.
  t.like(await attempt(2), { more: [], stale: [changed], chunks: 0 });
});

test('a time slice counts what it has achieved while it runs, for its heartbeats', async (t) => {
  const { attempt, progress } = await openBatch(t);
  await attempt(1);
  t.deepEqual(progress, { chunks: TEXTS, ready: TEXTS });
});

test('contents that were in progress when a worker died are processed alone', async (t) => {
  const { attempt, sizes, stores, scope, batch } = await openBatch(t);
  const run = { collectionId: batch.collection_id, runId: batch.run_id, contentIds: batch.content_ids.slice(0, 2) };
  // What a worker leaves that dies while it reads.
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' });
  t.like(await attempt(2), { more: [], paused: [], chunks: TEXTS });
  t.deepEqual(sizes().slice(-2), [1, 1]);
  t.true(sizes().length < TEXTS, `${sizes().join(', ')} texts at once`);
  const stages = await stores.runs.stagesOf(scope, { ...run, contentIds: batch.content_ids });
  t.deepEqual(new Set(stages.map(({ stage }) => stage)), new Set(['ready']));
});

test('a suspected content that a time slice does not come to stays suspected', async (t) => {
  const { progress, stores, scope, batch, database, worker } = await openBatch(t);
  const suspects = batch.content_ids.slice(0, 2);
  const run = { collectionId: batch.collection_id, runId: batch.run_id, contentIds: suspects };
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' });
  // Over from the beginning: what was not suspected is read together, and one suspect alone.
  const timeSlice = { isOver: () => true, leftMs: () => 60_000 };
  const step = { attempt: 2, signal: new AbortController().signal, progress };
  const pace = { lane: 'bulk', timeSlice, maxReadMs: null, publishAfter: { firstMs: 0, laterMs: 0 } } as const;
  const ingestion = await prepareIngestion(worker, batch, { step, pace });
  if (ingestion === null) throw new Error('the embedder is not configured');
  t.deepEqual((await ingestContents(ingestion)).more, suspects.slice(1));
  const sql = 'select content_id from content_collections where run_id = :runId and dead_attempts > 0';
  t.deepEqual(await query(database, sql, { runId: batch.run_id }), [{ content_id: suspects[1] }]);
});
