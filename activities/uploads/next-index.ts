import { setTimeout as sleep } from 'node:timers/promises';
import { collectionScope } from '#domain/access/scope.ts';
import type { Embedder, EmbedOptions } from '#domain/embedder.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { NumberedGeneration } from '#store/collections/generations.ts';
import type { CompleteContent } from '#store/uploads/publications.ts';
import type { IndexObject } from '#store/weaviate/vector-index.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/**
 * The index that is built beside the one that is searched, as one ingestion writes to it. Nothing fails because of it, or waits for
 * more than a moment: what it does not get here, the re-embedding writes.
 */
export type NextIndex = {
  number: number;
  /** Returns vectors for this index; null when its embedder failed, or was much slower than the present one. */
  embed(texts: readonly string[], present: Promise<unknown>, options: EmbedOptions): Promise<Float32Array[] | null>;
  /** Writes the objects of these chunks with other vectors. */
  write(rows: readonly Row[], page: Written): Promise<void>;
  /** Returns those of the contents that have been written completely, from the first chunk on. */
  completeOf(contents: readonly CompleteContent[]): string[];
};

type Row = { content_id: string; chunk_index: number };
type Written = { objects: readonly IndexObject[]; vectors: readonly Float32Array[] | null };

/** The new embedder may be done with a page so long after the present one. */
const GRACE_MS = 2_000;
/** This process does not ask an embedder again for so long that was slower: it would delay each upload by the grace. */
const REST_MS = 30_000;
/** Until when embedders rest, on the clock of `performance.now()`. */
const restingUntilMs = new WeakMap<Embedder, number>();

/**
 * Opens the index that is built, for one activity. Null when this worker does not have its embedder or lets it rest, or while the
 * change is paused.
 */
export async function openNextIndex(
  services: WorkerServices,
  batch: Batch,
  { number, space, tenant }: NumberedGeneration,
): Promise<NextIndex | null> {
  const embedder = services.embedders.forSpace(space);
  if (!embedder || performance.now() < (restingUntilMs.get(embedder) ?? 0)) return null;
  const change = await services.stores.reembeddings.find(collectionScope(batch), batch.collection_id);
  if (change?.status !== 'pending' && change?.status !== 'building') return null;
  let isFailed = false;
  /** How many chunks of a content were written in a row, from the first one on. */
  const written = new Map<string, number>();
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result | null> => {
    if (isFailed) return null;
    try {
      return await work();
    } catch (error) {
      isFailed = true;
      if (error instanceof TooLateError) restingUntilMs.set(embedder, performance.now() + REST_MS);
      const message = 'an index that is being built was not written to; the re-embedding will do it';
      services.log.info({ error, workspace_id: batch.workspace_id }, message);
      return null;
    }
  };
  await attempt(() => services.vectors.ensureTenantOnce(space, tenant));
  return {
    number,
    embed: (texts, present, options) => attempt(() => embedSoonAfter(present, { embedder, texts, options })),
    write: async (rows, { objects, vectors }) => {
      if (vectors === null) return;
      await attempt(async () => {
        const other = objects.flatMap((object, place) => {
          const vector = vectors[place];
          return vector ? [{ ...object, vector }] : [];
        });
        // Another attempt, or the re-embedding, may have written some of them.
        await services.vectors.rewriteObjects(space, tenant, other);
        if (other.length < objects.length) throw new Error('the embedder returned fewer vectors than texts');
        for (const { content_id, chunk_index } of rows)
          if ((written.get(content_id) ?? 0) === chunk_index) written.set(content_id, chunk_index + 1);
      });
    },
    completeOf: (contents) =>
      contents
        .filter(({ content_id, chunks }) => written.get(content_id) === chunks)
        .map(({ content_id }) => content_id),
  };
}

class TooLateError extends Error {}

/** Embeds texts, and gives up when the present embedder has failed, or is done since a moment. @throws TooLateError */
async function embedSoonAfter(
  present: Promise<unknown>,
  { embedder, texts, options }: { embedder: Embedder; texts: readonly string[]; options: EmbedOptions },
): Promise<Float32Array[]> {
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
  const isLate = async (): Promise<never> => {
    await present;
    await sleep(GRACE_MS, undefined, { signal: over.signal });
    throw new TooLateError('the new embedder is much slower than the present one');
  };
  try {
    return await Promise.race([embedder.embed(texts, 'document', { ...options, signal }), isLate()]);
  } finally {
    over.abort();
  }
}
