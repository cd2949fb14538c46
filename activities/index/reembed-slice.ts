import { workspaceScope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type EmbedOptions } from '#domain/embedder.ts';
import type { BuildPosition, ReembedArgs, ReembedProgress, ReembedSliceArgs } from '#domain/index/reembed-job.ts';
import type { NumberedGeneration } from '#store/collections/generations.ts';
import type { ChunkToBuild } from '#store/index/built-contents.ts';
import type { ReembeddingState } from '#store/index/reembeddings.ts';
import { isCancelled, isPassing, publicMessageOf } from '#activities/failures.ts';
import type { StepContext } from '#activities/step.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { embedPage } from './embed-page.ts';
import { embedAndWrite, firstPages, PAGE_SIZE, PAGES_AT_ONCE, writePage, type Page } from './write-page.ts';

type BuildServices = Pick<WorkerServices, 'stores' | 'vectors'> & {
  embedders: Pick<WorkerServices['embedders'], 'forSpace'>;
};
type Build = { args: ReembedSliceArgs; generation: NumberedGeneration; embedder: Embedder; signal: AbortSignal };

/**
 * Writes the chunks that the new index of a collection lacks, for one time slice. A content is marked as built when its last chunk
 * is acknowledged, so that after a crash at most the pages in work are written again.
 */
export async function reembedSlice(
  services: BuildServices,
  args: ReembedSliceArgs,
  step: StepContext,
): Promise<ReembedProgress & { after: BuildPosition | null }> {
  return showingWaits(services, args, async () => {
    const timeSlice = startTimeSlice();
    let pages = 1;
    for (let { after } = args; ;) {
      const state = await services.stores.reembeddings.state(workspaceScope(args), args.reembedding_id);
      const build = state.status === 'building' && (await prepareBuild(services, { args, state, signal: step.signal }));
      if (!build) return { ...progressOf(state), after: null };
      const startedMs = performance.now();
      after = await buildNextPages(services, build, { after, pages });
      step.signal.throwIfAborted();
      if (after === null || timeSlice.isOver()) return { ...progressOf(state), after };
      // As many as the time slice has room for, if an embedder takes them one after the other.
      const pageMs = (performance.now() - startedMs) / pages;
      pages = Math.min(PAGES_AT_ONCE, Math.max(1, Math.floor(timeSlice.leftMs() / pageMs)));
    }
  });
}

/** Says in the row what an activity waits for, or why it failed, when it is about to be retried. */
export async function showingWaits<Result>(
  { stores }: Pick<WorkerServices, 'stores'>,
  args: ReembedArgs,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isCancelled(error)) {
      const message = waitingMessageOf(error);
      // The database itself may be away.
      await stores.reembeddings.showWaiting(workspaceScope(args), args.reembedding_id, message).catch(() => undefined);
    }
    throw error;
  }
}

function waitingMessageOf(error: unknown): string {
  if (!isPassing(error)) return `${publicMessageOf(error)} The step is tried again.`;
  const reason = error instanceof AppError ? error.message : 'The infrastructure is busy.';
  return `${reason.replace(/[;,] try again[^.;]*/, '')} The re-embedding waits and goes on by itself.`;
}

export function progressOf({ status, contents, total_contents, chunks }: ReembeddingState): ReembedProgress {
  return { status, contents, total_contents, chunks };
}

async function prepareBuild(
  { stores, vectors, embedders }: BuildServices,
  { args, state, signal }: { args: ReembedSliceArgs; state: ReembeddingState; signal: AbortSignal },
): Promise<Build | null> {
  const generations = await stores.generations.list(workspaceScope(args), args.collection_id);
  const generation = generations.find((one) => one.number === state.generation && one.status === 'building');
  if (!generation) return null;
  const embedder = embedders.forSpace(generation.space);
  if (!embedder) {
    throw new AppError(
      'dependency_unavailable',
      `The new embedder ${embedderName(generation.space)} is not configured on this worker: configure it on all workers ` +
        '(LOCI_EMBEDDER, LOCI_EMBEDDERS), or cancel the re-embedding.',
    );
  }
  // Weaviate may have lost it. A write of a process that has not seen it would be an error that is not retried for long.
  await vectors.ensureTenantOnce(generation.space, generation.tenant);
  return { args, generation, embedder, signal };
}

/** Writes the next pages of a part and marks the contents that are complete. Returns the position behind them, null at the end. */
async function buildNextPages(
  services: BuildServices,
  build: Build,
  { after, pages: atMost }: { after: BuildPosition | null; pages: number },
): Promise<BuildPosition | null> {
  const { args, generation } = build;
  const { stores } = services;
  const scope = workspaceScope(args);
  const key = { collectionId: args.collection_id, number: generation.number };
  const limit = atMost * PAGE_SIZE;
  const rows = await stores.builtContents.listChunks(scope, key, { part: args.part, after, limit });
  const { pages, rest } = firstPages(rows, atMost);
  const written = await embedAndWrite(
    pages,
    (page) => vectorsOfPage(services, build, page),
    (page, vectors) => writeBuiltPage(services, build, { rows: page, vectors }),
  );
  const complete = written.flat().filter((row) => row.chunk_index + 1 === row.chunk_count);
  const contents = await stores.builtContents.mark(scope, key, complete);
  if (rows.length > 0)
    await stores.builtContents.advance(scope, args.reembedding_id, { contents, chunks: written.flat().length });
  const last = rows.at(-1 - rest);
  if (!last || (rest === 0 && rows.length < limit)) return null;
  return { content: last.content_id, version: last.version, chunk: last.chunk_index };
}

function pageOf({ args, generation, embedder }: Build): Omit<Page, 'rows'> {
  return { collection: args.collection_id, index: generation, embedder };
}

/**
 * Returns the vectors of a page. @throws AppError `embedding_rejected` that names the content, which no retry helps; `internal` when
 * the embedder rejects any text.
 */
async function vectorsOfPage(
  services: BuildServices,
  build: Build,
  rows: readonly ChunkToBuild[],
): Promise<Float32Array[]> {
  const options: EmbedOptions = { signal: build.signal, share: build.args.workspace_id };
  const { vectors, rejected } = await embedPage(services, { ...pageOf(build), rows }, options);
  const [first] = rejected;
  if (!first) return vectors;
  const message =
    `The new embedder rejects content ${first.row.content_id}: ${first.error.message} Delete the content or choose another ` +
    'embedder, then start again. The collection keeps its present embedder.';
  throw new AppError('embedding_rejected', message, { cause: first.error });
}

/**
 * Writes those chunks of a page whose version is still the published one, and returns them. What was deleted or replaced while
 * they were written is removed at once; if this process dies before, the residues of the deletion or of the run remove it.
 */
function writeBuiltPage(
  services: BuildServices,
  build: Build,
  { rows, vectors }: { rows: readonly ChunkToBuild[]; vectors: readonly Float32Array[] },
): Promise<ChunkToBuild[]> {
  const { args, generation } = build;
  const scope = workspaceScope(args);
  const key = { collectionId: args.collection_id, number: generation.number };
  return services.stores.transaction(async (stores) => {
    const published = await stores.builtContents.stillPublished(scope, key, rows);
    const places = [...rows.keys()].filter((place) => published.has(rows[place]?.content_id ?? ''));
    const kept = places.flatMap((place) => rows[place] ?? []);
    const page = { ...pageOf(build), rows: kept, vectors: places.flatMap((place) => vectors[place] ?? []) };
    await writePage({ ...services, stores }, scope, page);
    const still = await stores.builtContents.stillPublished(scope, key, kept);
    const gone = kept.filter((row) => !still.has(row.content_id)).map(({ id }) => id);
    if (gone.length > 0) await services.vectors.deleteObjects(generation.space, generation.tenant, gone);
    return kept.filter((row) => still.has(row.content_id));
  });
}
