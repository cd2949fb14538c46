import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { ReindexArgs, ReindexProgress, ReindexSliceArgs } from '#domain/index/reindex-job.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import type { ReindexPosition } from '#store/index/reindexings.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { embedPage } from './embed-page.ts';
import { isInWalk, removeUnknownObjects, START_OF_WALK } from './remove-unknown-objects.ts';
import { embedAndWrite, firstPages, PAGE_SIZE, PAGES_AT_ONCE, writePage, type Page } from './write-page.ts';

/** Bounds the look-ups of a workspace with many empty collections between two checks of the time slice. */
const COLLECTIONS_AT_ONCE = 16;
const START = { content: null, chunk: -1 };

type ReindexServices = Pick<WorkerServices, 'stores' | 'vectors'> & {
  embedders: Pick<WorkerServices['embedders'], 'preferred' | 'forSpace'>;
};

/**
 * Has runs in progress index their contents from the first chunk, counts the contents and memories to write, and marks all memories
 * for the loop that indexes them.
 */
export async function beginReindexing(services: WorkerServices, args: ReindexArgs): Promise<ReindexProgress> {
  const scope = workspaceScope(args);
  const { space } = services.embedders.preferred;
  const { reindexings, memoryProjections } = services.stores;
  // Before it counts as started, so that a repeated attempt marks them all.
  if ((await reindexings.find(scope))?.status === 'pending') {
    // First of all: what is published by then is written by the parts, and what is published later is written after this.
    await services.stores.transaction(async (stores) => {
      await stores.generations.beginEpoch(scope);
      await stores.builtContents.restartAllRuns(scope);
    });
    await memoryProjections.markUnindexed(scope, serializeSpace(space));
    await reindexings.start(scope, args.reindexing_id);
  }
  return progressOf(services, args);
}

/**
 * Writes the chunks of a part, or of everything, to the index again: several pages of one or more collections at a time, for one
 * time slice. The first part then has objects removed that have no row. Null at the end.
 */
export async function reindexSlice(
  services: ReindexServices,
  args: ReindexSliceArgs,
  step: StepContext,
): Promise<ReindexProgress | null> {
  const isDone = await repeatWithinTimeSlice(step, async () => {
    const scope = workspaceScope(args);
    const at = (await services.stores.reindexings.findProgress(scope, args.reindexing_id, args.part))?.position;
    if (!at || at.collection === null) return false;
    if (isInWalk(at)) await walkOn(services, args, at);
    else await reindexNextPages(services, args, { at, signal: step.signal });
    return true;
  });
  return isDone ? null : progressOf(services, args);
}

/**
 * Writes the next pages, then moves the cursor behind all of them. After a crash they are written again, and counted once. Chunks
 * that the embedder rejects are left out, and their contents named.
 */
async function reindexNextPages(
  services: ReindexServices,
  args: ReindexSliceArgs,
  { at, signal }: { at: ReindexPosition; signal: AbortSignal },
): Promise<void> {
  const scope = workspaceScope(args);
  const { pages, skippedContents, next } = await gatherPages(services, args, at);
  // The first part, or the whole, has the objects to walk over as well.
  const to = next.collection === null && !args.part?.number ? START_OF_WALK : next;
  const written = await embedAndWrite(
    pages,
    (page) => embedPage(services, page, { signal, share: args.workspace_id }),
    async (page, { rows, vectors, rejected }) => ({
      chunks: await services.stores.transaction((stores) =>
        writePage({ ...services, stores }, scope, { ...page, rows, vectors }),
      ),
      rejectedContents: rejected.map(({ row }) => row.content_id),
    }),
  );
  await services.stores.reindexings.advance(scope, args.reindexing_id, {
    part: args.part,
    from: at,
    to,
    contents: pages.flatMap(({ rows }) => rows).filter((row) => row.chunk_index === 0).length,
    skippedContents,
    rejectedContents: written.flatMap(({ rejectedContents }) => rejectedContents),
    chunks: written.reduce((sum, { chunks }) => sum + chunks, 0),
  });
}

async function walkOn(services: ReindexServices, args: ReindexSliceArgs, from: ReindexPosition): Promise<void> {
  const scope = workspaceScope(args);
  const to = await removeUnknownObjects(services, scope, from);
  const nothing = { contents: 0, skippedContents: 0, rejectedContents: [], chunks: 0 };
  await services.stores.reindexings.advance(scope, args.reindexing_id, { part: args.part, from, to, ...nothing });
}

/** Returns the next pages from a position on, and the position behind them. */
async function gatherPages(
  services: ReindexServices,
  args: ReindexSliceArgs,
  at: ReindexPosition,
): Promise<{ pages: Page[]; skippedContents: number; next: ReindexPosition }> {
  const scope = workspaceScope(args);
  const { reindexings, collections } = services.stores;
  const pages: Page[] = [];
  let skippedContents = 0;
  let next = at;
  for (let visited = 0; visited < COLLECTIONS_AT_ONCE && pages.length < PAGES_AT_ONCE; visited += 1) {
    const collection = next.collection && (await reindexings.findCollectionFrom(scope, next.collection));
    if (collection === null) return { pages, skippedContents, next: { ...START, collection: null } };
    const from = collection === next.collection ? next : START;
    next = { ...START, collection: await reindexings.findCollectionAfter(scope, collection) };
    const found = await collections.findIndex(scope, collection);
    const embedder = found && services.embedders.forSpace(found.index.space);
    if (!found || !embedder) {
      // Of all parts, by the first one.
      if (!args.part?.number) skippedContents += await reindexings.countPublished(scope, collection);
      continue;
    }
    // Also without chunks a collection needs a tenant. Later on, Weaviate may have lost it again.
    const ensure = from.content === null ? services.vectors.ensureTenant : services.vectors.ensureTenantOnce;
    await ensure(found.index.space, found.index.tenant);
    const room = PAGES_AT_ONCE - pages.length;
    const limit = room * PAGE_SIZE;
    const rows = await reindexings.listChunksAfter(
      scope,
      { collection, content: from.content, chunk: from.chunk, part: args.part },
      limit,
    );
    const first = firstPages(rows, room);
    pages.push(...first.pages.map((page) => ({ collection, index: found.index, embedder, rows: page })));
    const last = rows.at(-1 - first.rest);
    if (last && (first.rest > 0 || rows.length === limit))
      next = { collection, content: last.content_id, chunk: last.chunk_index };
  }
  return { pages, skippedContents, next };
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

async function progressOf({ stores }: ReindexServices, args: ReindexArgs): Promise<ReindexProgress> {
  const found = await stores.reindexings.findProgress(workspaceScope(args), args.reindexing_id);
  const { contents = 0, total_contents = 0, memories = 0, total_memories = 0 } = found ?? {};
  return { contents, total_contents, memories, total_memories };
}
