import { indexedText } from '#domain/chunking/chunker.ts';
import { embedderName, type Embedder } from '#domain/embedder.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import type { PublishOutcome, SliceOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { ChunkToIndex } from '#store/contents/chunks.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import { claimContents } from './claim-contents.ts';
import { failContent, failWithoutEmbedder } from './fail-contents.ts';
import { startTimeSlice, type TimeSlice } from '#activities/time-slice.ts';
import { runContentsOf, type StepContext } from '#activities/step.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const CHUNK_BATCH_SIZE = 128;

type Indexing = {
  embedder: Embedder;
  index: IndexGeneration;
  facetsByContent: Map<string, string[]>;
  step: StepContext;
  timeSlice: TimeSlice;
};

/** Embeds and indexes the chunks of a batch, in content order, for at most one time slice. */
export async function indexContents(services: WorkerServices, batch: Batch, step: StepContext): Promise<SliceOutcome> {
  const found = await services.stores.collections.findIndex(collectionScope(batch), batch.collection_id);
  const embedder = found && services.embedders.forSpace(found.index.space);
  if (!found || !embedder) {
    await failWithoutEmbedder(services, batch, found?.index.space);
    return { done: true, chunks: 0 };
  }
  await services.vectors.ensureTenant(found.index.space, found.index.tenant);
  const facetsByContent = await facetsOfContents(services, batch);
  const indexing = { embedder, index: found.index, facetsByContent, step, timeSlice: startTimeSlice() };
  return step.attempt === 1 ? indexBatch(services, batch, indexing) : indexOneByOne(services, batch, indexing);
}

/** Embeds the next chunks while the previous ones are being written to the index. */
async function indexBatch(services: WorkerServices, batch: Batch, indexing: Indexing): Promise<SliceOutcome> {
  const scope = collectionScope(batch);
  let after: { contentId: string; chunkIndex: number } | null = null;
  let writing: Promise<void> = Promise.resolve();
  let chunks = 0;
  let done = false;
  try {
    while (!indexing.timeSlice.isOver()) {
      const rows = await services.stores.chunks.nextToIndex(scope, runContentsOf(batch), {
        after,
        limit: CHUNK_BATCH_SIZE,
      });
      const last = rows.at(-1);
      done = last === undefined;
      if (!last) break;
      after = { contentId: last.content_id, chunkIndex: last.chunk_index };
      const vectors = await indexing.embedder.embed(rows.map(textOf), 'document', { signal: indexing.step.signal });
      await writing;
      writing = writeObjects(services, batch, { indexing, rows, vectors });
      // The promise is awaited above or in `finally`. Until then a rejection must not count as unhandled.
      writing.catch(() => undefined);
      chunks += rows.length;
    }
  } finally {
    await writing;
  }
  return { done, chunks };
}

/** After a failed attempt: indexes each content alone, so that one that kills the worker is found. */
async function indexOneByOne(services: WorkerServices, batch: Batch, indexing: Indexing): Promise<SliceOutcome> {
  let chunks = 0;
  for (const contentId of batch.content_ids) {
    if (indexing.timeSlice.isOver()) return { done: false, chunks };
    const { owned } = await claimContents(services, batch, {
      contentIds: [contentId],
      stage: 'indexing',
      upTo: 'indexing',
    });
    if (owned.length === 0) continue;
    const alone = { ...batch, content_ids: [contentId] };
    try {
      const outcome = await indexBatch(services, alone, indexing);
      chunks += outcome.chunks;
      if (!outcome.done) return { done: false, chunks };
    } catch (error) {
      indexing.step.signal.throwIfAborted();
      await failContent(services, batch, { contentId, error });
    } finally {
      // The worker survived, so this attempt says nothing about the content.
      await services.stores.runs.forgiveAttempt(collectionScope(batch), runContentsOf(alone));
    }
  }
  return { done: true, chunks };
}

type Write = { indexing: Indexing; rows: readonly ChunkToIndex[]; vectors: readonly Float32Array[] };

async function writeObjects(services: WorkerServices, batch: Batch, { indexing, rows, vectors }: Write): Promise<void> {
  const { space, tenant } = indexing.index;
  const objects = rows.map((row, place) => {
    const vector = vectors[place];
    if (!vector) throw new Error('the embedder returned fewer vectors than texts');
    const facets = [...(indexing.facetsByContent.get(row.content_id) ?? []), ...chunkFacets(row.metadata)];
    return { id: row.id, content_id: row.content_id, version: row.version, text: textOf(row), facets, vector };
  });
  const { vectors: index } = services;
  // A failed attempt may have left partly written objects.
  await (indexing.step.attempt > 1 ? index.rewriteObjects : index.writeObjects)(space, tenant, objects);
  services.metrics.countChunks(objects.length);
  const indexed = new Map(rows.map((row) => [row.content_id, row.chunk_index + 1]));
  await services.stores.chunks.advanceIndexed(collectionScope(batch), runContentsOf(batch), indexed);
}

function textOf({ context, content }: ChunkToIndex): string {
  return indexedText({ context, text: content });
}

/** The facets that all chunks of a content share, by content id. */
async function facetsOfContents(services: WorkerServices, batch: Batch): Promise<Map<string, string[]>> {
  const contents = await services.stores.publications.facettable(
    collectionScope(batch),
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

/** Publishes the contents whose chunks are all indexed. */
export async function publishContents(services: WorkerServices, batch: Batch): Promise<PublishOutcome> {
  const scope = collectionScope(batch);
  const found = await services.stores.collections.findIndex(scope, batch.collection_id);
  const config = { chunker: 'structure', embedder: found ? embedderName(found.index.space) : null };
  const published = await services.stores.publications.publish(scope, runContentsOf(batch), config);
  for (const _ of published) services.metrics.countContent('ready');
  const stages = await services.stores.runs.stagesOf(scope, runContentsOf(batch));
  return {
    published: published.length,
    stale: published.filter((content) => content.stale).map((content) => content.content_id),
    paused: stages.filter((content) => content.paused).map((content) => content.content_id),
    resumed: stages
      .filter((content) => content.stage === 'indexing' && !content.paused)
      .map((content) => content.content_id),
  };
}
