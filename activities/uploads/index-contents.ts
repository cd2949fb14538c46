import { indexedText } from '#domain/chunking/chunker.ts';
import { embedderName, type Embedder } from '#domain/embedder.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import type { PublishOutcome, SliceOutcome } from '#domain/uploads/ingest-outcomes.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { ChunkToIndex } from '#store/contents/chunks.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import { claimContents, failAlone, failWithoutEmbedder, sliceOf } from './claim.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** One huge content never holds a slot for hours: after this the workflow comes again. */
const SLICE_MS = 30_000;
const CHUNKS_AT_ONCE = 128;

type Indexing = { embedder: Embedder; index: IndexGeneration; shared: Map<string, string[]> };

/** Embeds and indexes chunks of a batch, in content order, for at most half a minute. */
export async function indexSlice(services: WorkerServices, batch: Batch, step: StepContext): Promise<SliceOutcome> {
  const found = await services.stores.collections.findIndex(scopeOf(batch), batch.collection_id);
  const embedder = found && services.embedders.forSpace(found.index.space);
  if (!found || !embedder) {
    await failWithoutEmbedder(services, batch, found?.index.space);
    return { done: true, chunks: 0 };
  }
  await services.vectors.ensureTenant(found.index.space, found.index.tenant);
  const indexing = { embedder, index: found.index, shared: await sharedFacets(services, batch) };
  const deadlineMs = performance.now() + SLICE_MS;
  if (step.attempt === 1) return indexUntil(services, batch, { ...indexing, step, deadlineMs });
  return indexOneByOne(services, batch, { ...indexing, step, deadlineMs });
}

type Slice = Indexing & { step: StepContext; deadlineMs: number };

/** While one group is written to the index, the next one is embedded. */
async function indexUntil(services: WorkerServices, batch: Batch, slice: Slice): Promise<SliceOutcome> {
  const scope = scopeOf(batch);
  let after: { contentId: string; chunkIndex: number } | null = null;
  let writing: Promise<void> = Promise.resolve();
  let chunks = 0;
  let done = false;
  try {
    while (performance.now() < slice.deadlineMs) {
      const rows = await services.stores.chunks.nextToIndex(scope, sliceOf(batch), { after, limit: CHUNKS_AT_ONCE });
      const last = rows.at(-1);
      done = last === undefined;
      if (!last) break;
      after = { contentId: last.content_id, chunkIndex: last.chunk_index };
      const vectors = await slice.embedder.embed(rows.map(textOf), 'document', slice.step.signal);
      await writing;
      writing = write(services, batch, { slice, rows, vectors });
      // Awaited above or in `finally`; until then a failure must not count as unhandled.
      writing.catch(() => undefined);
      chunks += rows.length;
    }
  } finally {
    await writing;
  }
  return { done, chunks };
}

/** After a dead attempt: each content alone, so that one which kills the worker is found. */
async function indexOneByOne(services: WorkerServices, batch: Batch, slice: Slice): Promise<SliceOutcome> {
  let chunks = 0;
  for (const contentId of batch.content_ids) {
    if (performance.now() >= slice.deadlineMs) return { done: false, chunks };
    const { owned } = await claimContents(services, batch, {
      contentIds: [contentId],
      stage: 'indexing',
      upTo: 'indexing',
    });
    if (owned.length === 0) continue;
    const alone = { ...batch, content_ids: [contentId] };
    try {
      const outcome = await indexUntil(services, alone, slice);
      chunks += outcome.chunks;
      if (!outcome.done) return { done: false, chunks };
    } catch (error) {
      slice.step.signal.throwIfAborted();
      await failAlone(services, batch, { contentId, error });
    } finally {
      // Came back alive, whatever the outcome.
      await services.stores.runs.forgiveAttempt(scopeOf(batch), sliceOf(alone));
    }
  }
  return { done: true, chunks };
}

type Write = { slice: Slice; rows: readonly ChunkToIndex[]; vectors: readonly Float32Array[] };

async function write(services: WorkerServices, batch: Batch, { slice, rows, vectors }: Write): Promise<void> {
  const { space, tenant } = slice.index;
  const objects = rows.map((row, place) => {
    const vector = vectors[place];
    if (!vector) throw new Error('the embedder gave fewer vectors than texts');
    const facets = [...(slice.shared.get(row.content_id) ?? []), ...chunkFacets(row.metadata)];
    return { id: row.id, content_id: row.content_id, version: row.version, text: textOf(row), facets, vector };
  });
  const { vectors: index } = services;
  // An attempt that died may have left objects half written.
  await (slice.step.attempt > 1 ? index.rewriteObjects : index.writeObjects)(space, tenant, objects);
  services.metrics.countChunks(objects.length);
  const indexed = new Map(rows.map((row) => [row.content_id, row.chunk_index + 1]));
  await services.stores.chunks.advanceIndexed(scopeOf(batch), sliceOf(batch), indexed);
}

function textOf({ context, content }: ChunkToIndex): string {
  return indexedText({ context, text: content });
}

async function sharedFacets(services: WorkerServices, batch: Batch): Promise<Map<string, string[]>> {
  const contents = await services.stores.publications.facettable(
    scopeOf(batch),
    batch.collection_id,
    batch.content_ids,
  );
  return new Map(
    contents.map((content) => {
      const record = toFilterRecord(content, {});
      return [content.content_id, contentFacets(record.content, record.metadata)];
    }),
  );
}

/** Publishes what is indexed whole. */
export async function publishContents(services: WorkerServices, batch: Batch): Promise<PublishOutcome> {
  const scope = scopeOf(batch);
  const found = await services.stores.collections.findIndex(scope, batch.collection_id);
  const config = { chunker: 'structure', embedder: found ? embedderName(found.index.space) : null };
  const published = await services.stores.publications.publish(scope, sliceOf(batch), config);
  for (const _ of published) services.metrics.countContent('ready');
  const stages = await services.stores.runs.stagesOf(scope, sliceOf(batch));
  return {
    published: published.length,
    stale: published.filter((content) => content.stale).map((content) => content.content_id),
    paused: stages.filter((content) => content.paused).map((content) => content.content_id),
    resumed: stages
      .filter((content) => content.stage === 'indexing' && !content.paused)
      .map((content) => content.content_id),
  };
}
