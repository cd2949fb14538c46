import { Readable } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { reembedSlice } from '#activities/index/reembed-slice.ts';
import { beginReembedding, dropRetiredIndex, switchIndex } from '#activities/index/switch-index.ts';
import { ingestSlice } from '#activities/uploads/ingest-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { Embedder } from '#domain/embedder.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { controlReembedding } from '#operations/index/control-reembedding.ts';
import { reembedCollection } from '#operations/index/reembed-collection.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { createReaderPool } from '#providers/readers/reader-pool.ts';
import { makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** What happens while an embedder works. Replaced by tests. */
type Hooks = {
  present: (texts: readonly string[]) => Promise<void>;
  next: (texts: readonly string[]) => Promise<void>;
};

const IDLE = async () => undefined;
export const STEP = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

function embedderOf(model: string, hook: (texts: readonly string[]) => Promise<void>): Embedder {
  const lexical = createLexicalEmbedder();
  return {
    ...lexical,
    space: { ...lexical.space, provider: 'openai', model },
    embed: async (texts, purpose, options) => {
      await hook(texts);
      return lexical.embed(texts, purpose, options);
    },
  };
}

/**
 * A collection embedded with `lexical`, on services of its own that also have another embedder, `openai/next`. The activities run in
 * the process of the test, one at a time, as the workflow would call them.
 */
export async function openOwnReembedding(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const hooks: Hooks = { present: IDLE, next: IDLE };
  const next = embedderOf('next', (texts) => hooks.next(texts));
  const set = createEmbedderSet(next);
  const lexical = createLexicalEmbedder();
  const watched: Embedder = {
    ...lexical,
    embed: async (texts, purpose, options) => {
      await hooks.present(texts);
      return lexical.embed(texts, purpose, options);
    },
  };
  const embedders = {
    ...set,
    forSpace: (space: Embedder['space']) => (space.provider === 'lexical' ? watched : set.forSpace(space)),
  };
  const documents = createReaderPool({ processes: 1, memoryBytes: 2 ** 29, timeoutMs: 60_000, maxTextBytes: 2 ** 20 });
  t.teardown(() => documents.close());
  // Ingestion of stored texts and the re-embedding use no other service of a worker.
  const worker = { ...services, embedders, documents } as unknown as WorkerServices;
  const { stores } = services;
  const { scope, collectionId, caller } = place;
  let id = '';
  const args = () => ({ workspace_id: scope.workspaceId, collection_id: collectionId, reembedding_id: id });
  return {
    ...place,
    worker,
    hooks,
    /** Stores texts as an upload does. */
    add: (...texts: string[]) => addTexts(worker, place, texts),
    ingest: (batch: Batch) => ingestSlice(worker, batch, STEP),
    async start() {
      const change = { collectionId, body: {}, idempotency: null };
      const { body } = await reembedCollection(worker, caller, change);
      id = body.id;
      return beginReembedding(worker, args());
    },
    args,
    begin: () => beginReembedding(worker, args()),
    control: (action: ControlAction) => controlReembedding(worker, caller, { collectionId, action, idempotency: null }),
    build: (services_: Partial<WorkerServices> = {}) =>
      reembedSlice({ ...worker, ...services_ }, { ...args(), part: { number: 0, of: 1 }, after: null }, STEP),
    switchIndex: (services_: Partial<WorkerServices> = {}) => switchIndex({ ...worker, ...services_ }, args()),
    drop: () => dropRetiredIndex(worker, args()),
    read: () => stores.reembeddings.find(scope, collectionId),
    /** The number of objects of each index of the collection that is there, by its number. */
    async objects(contentId?: string): Promise<Record<string, number>> {
      const generations = await stores.generations.list(scope, collectionId);
      const counts = generations.map(async ({ number, space, tenant }) => {
        const of = contentId === undefined ? {} : { contentId };
        return [number, await services.vectors.countObjects(space, tenant, of)] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    },
  };
}

async function addTexts(worker: WorkerServices, place: Place, texts: readonly string[]): Promise<Batch> {
  const { stores, scope, collectionId } = place;
  const contents = await Promise.all(
    texts.map(async (text, number) => {
      const blob = await worker.blobs.put(scope.workspaceId, Readable.from([Buffer.from(text)]), 1_000_000);
      const described = { description: null, metadata: {}, file_data: {}, external_id: null, url: null };
      const file = { type: 'text/plain', size: blob.sizeBytes, content_hash: blob.sha256, source: 'text' as const };
      return { ...described, ...file, id: uuidv7(), name: `${number}.txt`, created_by: 'a test', status: 'pending' };
    }),
  );
  await stores.contents.insert(scope, collectionId, contents);
  const runId = uuidv7();
  const run = { upload_id: null, run_id: runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const runs = contents.map((content) => ({ ...run, content_id: content.id, dedupe_key: null, external_id: null }));
  await stores.runControl.insert(scope, collectionId, runs);
  const content_ids = contents.map((content) => content.id).toSorted();
  return { workspace_id: scope.workspaceId, collection_id: collectionId, run_id: runId, content_ids };
}
