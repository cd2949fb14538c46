import { indexedText } from '#domain/chunking/chunker.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { ReindexArgs, ReindexProgress } from '#domain/index/reindex-job.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { ChunkToRewrite } from '#store/index/reindexings.ts';
import type { Stores } from '#store/stores.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const BATCH_SIZE = 128;

/** Counts the contents and memories to write, and marks all memories for the loop that indexes them. */
export async function beginReindexing(services: WorkerServices, args: ReindexArgs): Promise<ReindexProgress> {
  const scope = workspaceScope(args);
  const { space } = services.embedders.preferred;
  await services.stores.transaction(async (stores) => {
    if (!(await stores.reindexings.start(scope, args.reindexing_id))) return;
    await stores.memoryProjections.markUnindexed(scope, serializeSpace(space));
  });
  return progressOf(services, args);
}

/** Writes chunks to the index again, one collection after the other, for one time slice. Returns null at the end. */
export async function reindexSlice(
  services: WorkerServices,
  args: ReindexArgs,
  step: StepContext,
): Promise<ReindexProgress | null> {
  const isDone = await repeatWithinTimeSlice(step, () => reindexNextChunks(services, args, step.signal));
  return isDone ? null : progressOf(services, args);
}

/** Writes the next chunks or finishes a collection; false after the last collection. */
async function reindexNextChunks(services: WorkerServices, args: ReindexArgs, signal: AbortSignal): Promise<boolean> {
  const scope = workspaceScope(args);
  const { reindexings, collections } = services.stores;
  const at = await reindexings.findProgress(scope, args.reindexing_id);
  if (!at || at.collection === null) return false;
  const collection = await reindexings.findCollectionFrom(scope, at.collection);
  if (collection === null) return false;
  const found = await collections.findIndex(scope, collection);
  const embedder = found && services.embedders.forSpace(found.index.space);
  if (!found || !embedder) {
    await reindexings.finishCollection(scope, args.reindexing_id, { collection, isSkipped: true });
    return true;
  }
  const position =
    collection === at.collection ? { content: at.content, chunk: at.chunk } : { content: null, chunk: -1 };
  // At the start of each collection, because a collection without chunks needs a tenant too.
  if (position.content === null) await services.vectors.ensureTenant(found.index.space, found.index.tenant);
  const rows = await reindexings.listChunksAfter(scope, { collection, ...position }, BATCH_SIZE);
  if (rows.length === 0) {
    await reindexings.finishCollection(scope, args.reindexing_id, { collection, isSkipped: false });
    return true;
  }
  const vectors = await embedder.embed(rows.map(textOf), 'document', { signal, share: args.workspace_id });
  await services.stores.transaction((stores) =>
    writePage({ ...services, stores }, args, { collection, index: found.index, rows, vectors }),
  );
  return true;
}

type Page = {
  collection: string;
  index: IndexGeneration;
  rows: readonly ChunkToRewrite[];
  vectors: readonly Float32Array[];
};

/**
 * Writes the chunks that are still published, under the lock of their filter fields, and advances the cursor in the same
 * transaction.
 */
async function writePage(services: WorkerServices, args: ReindexArgs, page: Page): Promise<void> {
  const scope = workspaceScope(args);
  const { collection, index, rows, vectors } = page;
  const contentIds = [...new Set(rows.map((row) => row.content_id))];
  await services.stores.projections.lockContents(scope, collection, contentIds);
  const shared = await sharedFacets(services.stores, scope, { collection, contentIds });
  const objects = rows.flatMap((row, place) => {
    const [content, vector] = [shared.get(row.content_id), vectors[place]];
    if (!vector) throw new Error('the embedder returned fewer vectors than texts');
    if (content?.version !== row.version) return [];
    const facets = [...content.facets, ...chunkFacets(row.metadata)];
    return [{ id: row.id, content_id: row.content_id, version: row.version, text: textOf(row), facets, vector }];
  });
  // Existing objects may be incomplete.
  if (objects.length > 0) await services.vectors.rewriteObjects(index.space, index.tenant, objects);
  const last = rows.at(-1);
  if (!last) return;
  await services.stores.reindexings.advance(scope, args.reindexing_id, {
    collection,
    content: last.content_id,
    chunk: last.chunk_index,
    contents: rows.filter((row) => row.chunk_index === 0).length,
    chunks: objects.length,
  });
}

async function sharedFacets(stores: Stores, scope: Scope, of: { collection: string; contentIds: string[] }) {
  const contents = await stores.publications.facettable(scope, of.collection, of.contentIds);
  return new Map(
    contents.map((content) => {
      const record = toFilterRecord(content, {});
      return [content.content_id, { version: content.version, facets: contentFacets(record.content, record.metadata) }];
    }),
  );
}

/** Counts the memories that have been written; null when none is left, or only those that are retried at growing intervals. */
export async function followMemories(services: WorkerServices, args: ReindexArgs): Promise<ReindexProgress | null> {
  const isMore = await services.stores.reindexings.countIndexedMemories(workspaceScope(args), args.reindexing_id);
  return isMore ? progressOf(services, args) : null;
}

export async function completeReindexing(
  { stores }: WorkerServices,
  args: ReindexArgs & { outbox_id: string },
): Promise<void> {
  await stores.reindexings.complete(workspaceScope(args), args.reindexing_id);
  await stores.outbox.complete(workspaceScope(args), args.outbox_id);
}

async function progressOf({ stores }: WorkerServices, args: ReindexArgs): Promise<ReindexProgress> {
  const found = await stores.reindexings.findProgress(workspaceScope(args), args.reindexing_id);
  const { contents = 0, total_contents = 0, memories = 0, total_memories = 0 } = found ?? {};
  return { contents, total_contents, memories, total_memories };
}

function textOf({ context, content }: ChunkToRewrite): string {
  return indexedText({ context, text: content });
}
