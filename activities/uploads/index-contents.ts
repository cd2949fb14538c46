import { pMapIterable } from 'p-map';
import { collectionScope } from '#domain/access/scope.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { AppError } from '#domain/app-error.ts';
import type { ChunkToIndex } from '#store/contents/chunks.ts';
import type { CompleteContent } from '#store/uploads/publications.ts';
import { isPassing } from '#activities/failures.ts';
import { runContentsOf } from '#activities/step.ts';
import { failContent } from './fail-contents.ts';
import { workShareOf, type Ingestion } from './ingestion.ts';

/** Chunks that are read from the database at once. */
const PAGE_SIZE = 128;
/** Characters that are embedded and written at once: about a second of work for a local model. */
const MAX_CHARACTERS = 24_000;
/** The same for the first page of a time slice of bulk work; each further page may be twice as large. So results come early. */
const FIRST_CHARACTERS = 4_800;

/** Pages that are embedded at the same time, so that no thread of a model waits for the last text of a page. */
const PAGES_AT_ONCE = 2;

/**
 * A group of contents whose chunk rows are written. `isRepeated`: some of them may be in the index already. `isFirst`: the first
 * one of a time slice of bulk work.
 */
export type IndexGroup = { contentIds: readonly string[]; isRepeated: boolean; isFirst: boolean };

type OnComplete = (contents: readonly CompleteContent[]) => void;

/**
 * Embeds and indexes the chunks of a group in content order, until the time slice is over. Calls `onComplete` for contents whose
 * chunks are all in the index. If the embedder or the index rejects something, each content is indexed alone, so that only the
 * one that cannot be indexed fails. Returns the number of chunks written.
 */
export async function indexContents(ingestion: Ingestion, group: IndexGroup, onComplete: OnComplete): Promise<number> {
  try {
    return await indexGroup(ingestion, group, onComplete);
  } catch (error) {
    ingestion.step.signal.throwIfAborted();
    if (isPassing(error)) throw error;
    await requireSearchedIndex(ingestion, error);
    const [contentId] = group.contentIds;
    if (group.contentIds.length > 1) return indexOneByOne(ingestion, group.contentIds, onComplete);
    if (contentId !== undefined) await failContent(ingestion.services, ingestion.batch, { contentId, error });
    return 0;
  }
}

/**
 * After an error: that the index is still the one that is searched. Otherwise its tenant may be gone, and the next attempt takes
 * the other one. @throws AppError `dependency_unavailable`.
 */
async function requireSearchedIndex({ services, batch, index }: Ingestion, cause: unknown): Promise<void> {
  const generations = await services.stores.generations.list(collectionScope(batch), batch.collection_id);
  if (generations.some(({ number, status }) => number === index.number && status === 'active')) return;
  throw new AppError('dependency_unavailable', 'The collection has just got another index.', { cause });
}

async function indexOneByOne(ingestion: Ingestion, contentIds: readonly string[], onComplete: OnComplete) {
  let chunks = 0;
  for (const contentId of contentIds) {
    const group = { contentIds: [contentId], isRepeated: true, isFirst: false };
    chunks += await indexContents(ingestion, group, onComplete);
  }
  return chunks;
}

/** Embeds the next chunks while the previous ones are being written to the index. */
async function indexGroup(ingestion: Ingestion, group: IndexGroup, onComplete: OnComplete): Promise<number> {
  const { embedder, step } = ingestion;
  const facetsByContent = await facetsOfContents(ingestion, group.contentIds);
  const embed = async (rows: ChunkToIndex[]) => {
    const options = { ...workShareOf(ingestion), signal: step.signal };
    const present = embedder.embed(rows.map(storedText), 'document', options);
    const next = ingestion.next?.embed(rows.map(storedText), present, options) ?? null;
    const [vectors, nextVectors] = await Promise.all([present, next]);
    return { rows, vectors, nextVectors };
  };
  const pages = pagesToIndex(ingestion, group);
  let writing: Promise<void> = Promise.resolve();
  let chunks = 0;
  try {
    for await (const page of pMapIterable(pages, embed, { concurrency: PAGES_AT_ONCE })) {
      await writing;
      writing = writePage(ingestion, group, { ...page, facetsByContent }).then(onComplete);
      // The promise is awaited above or in `finally`. Until then a rejection must not count as unhandled.
      writing.catch(() => undefined);
      chunks += page.rows.length;
    }
  } finally {
    await writing;
  }
  return chunks;
}

/** The chunks to index, in pages of about a second of work. Ends when the time slice is over, but not before the first page. */
async function* pagesToIndex(
  { services, batch, pace }: Ingestion,
  { contentIds, isFirst }: IndexGroup,
): AsyncIterable<ChunkToIndex[]> {
  let after: { contentId: string; chunkIndex: number } | null = null;
  let maxCharacters = isFirst ? FIRST_CHARACTERS : MAX_CHARACTERS;
  for (let isLast = false; !isLast;) {
    const rows: ChunkToIndex[] = await services.stores.chunks.nextToIndex(
      collectionScope(batch),
      runContentsOf(batch, contentIds),
      { after, limit: PAGE_SIZE },
    );
    isLast = rows.length < PAGE_SIZE;
    while (rows.length > 0) {
      if (after !== null && pace.timeSlice.isOver()) return;
      const page = rows.splice(0, pageLength(rows, maxCharacters));
      maxCharacters = Math.min(2 * maxCharacters, MAX_CHARACTERS);
      const last = page.at(-1);
      if (last) after = { contentId: last.content_id, chunkIndex: last.chunk_index };
      yield page;
    }
  }
}

/** How many of the rows form a page: at least one, and no more than so many characters. */
function pageLength(rows: readonly ChunkToIndex[], maxCharacters: number): number {
  let characters = 0;
  const end = rows.findIndex((row) => (characters += storedText(row).length) > maxCharacters);
  return end === -1 ? rows.length : Math.max(end, 1);
}

type Page = {
  rows: readonly ChunkToIndex[];
  vectors: readonly Float32Array[];
  /** Of the index that is built. */
  nextVectors: readonly Float32Array[] | null;
  facetsByContent: ReadonlyMap<string, string[]>;
};

/** Writes chunks to the index and records the progress. Returns the contents whose last chunk was among them. */
async function writePage(ingestion: Ingestion, group: IndexGroup, page: Page): Promise<CompleteContent[]> {
  const { services, batch, index, step } = ingestion;
  const { rows, vectors, facetsByContent } = page;
  const objects = rows.map((row, place) => {
    const vector = vectors[place];
    if (!vector) throw new Error('the embedder returned fewer vectors than texts');
    const facets = [...(facetsByContent.get(row.content_id) ?? []), ...chunkFacets(row.metadata)];
    return { id: row.id, content_id: row.content_id, version: row.version, text: storedText(row), facets, vector };
  });
  // An earlier attempt may have left partly written objects, as may a time slice that wrote to this index while it was built, and
  // one of an earlier epoch, whose vectors may be lost.
  const isRepeated = group.isRepeated || step.attempt > 1 || index.number > 1 || index.epoch > 0;
  const write = isRepeated ? services.vectors.rewriteObjects : services.vectors.writeObjects;
  await Promise.all([
    write(index.space, index.tenant, objects),
    ingestion.next?.write(rows, { objects, vectors: page.nextVectors }),
  ]);
  services.metrics.countChunks(objects.length);
  step.progress.chunks += objects.length;
  const last = new Map(rows.map((row) => [row.content_id, row]));
  const isComplete = (row: ChunkToIndex) => row.chunk_index + 1 === row.planned_chunks;
  const partial = [...last.values()].filter((row) => !isComplete(row));
  const indexed = new Map(partial.map((row) => [row.content_id, row.chunk_index + 1]));
  await services.stores.chunks.advanceIndexed(
    collectionScope(batch),
    { ...runContentsOf(batch), tenant: index.tenant, epoch: index.epoch },
    indexed,
  );
  return [...last.values()]
    .filter(isComplete)
    .map((row) => ({ content_id: row.content_id, chunks: row.planned_chunks }));
}

/** The facets that all chunks of a content share, by content id. */
async function facetsOfContents({ services, batch }: Ingestion, contentIds: readonly string[]) {
  const { publications } = services.stores;
  const contents = await publications.facettable(collectionScope(batch), batch.collection_id, contentIds);
  return new Map(
    contents.map((content) => {
      const record = toFilterRecord(content, {});
      return [content.content_id, contentFacets(record.content, record.metadata)];
    }),
  );
}
