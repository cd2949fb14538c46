import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition, encodeCursor } from '#domain/cursor.ts';
import type { ContentChunk } from '#domain/records/content.ts';
import type { PublishedChunk } from '#store/contents/published-chunks.ts';
import type { Page } from '#store/page.ts';
import type { Services } from '#operations/services.ts';
import { fetchEmbeddings } from './chunks.ts';

export type ContentChunksQuery = {
  contentId: string;
  collectionId: string;
  includeEmbeddings: boolean;
  /** Null returns all chunks. */
  limit: number | null;
  cursor?: string | undefined;
};

export type ContentChunksAnswer = {
  head: { content_id: string; collection_id: string; total_chunks: number; includes_embeddings: boolean };
  /** Read page by page while the response is written. */
  chunks: AsyncIterable<ContentChunk>;
  /** Available when `chunks` has ended; null after the last chunk. */
  nextCursor: () => string | null;
};

const PAGE_SIZE = 200;
/** Maximum number of reads of the first page, which is repeated when the content changes between two statements. */
const MAX_ATTEMPTS = 3;

type ContentChunkRow = PublishedChunk & { name: string; filters: Record<string, unknown>; version: number };

/**
 * Returns the published chunks of a content in one collection, in order. All belong to one version: when another version is
 * published or the content is deleted while the response is written, the stream ends with an error, never with mixed or
 * missing chunks.
 * @throws AppError `not_found` when the content is not in that collection or not in scope; `conflict` when the cursor belongs to
 *   an older version.
 */
export async function listContentChunks(
  services: Services,
  caller: Caller,
  query: ContentChunksQuery,
): Promise<ContentChunksAnswer> {
  const key = { contentId: query.contentId, collectionId: query.collectionId };
  const binding = { list: 'content-chunks', filters: key };
  const [version, afterIndex] = decodePosition(binding, query.cursor, z.tuple([z.int32(), z.int32()])) ?? [null, -1];
  const walk = { afterIndex, end: query.limit === null ? null : afterIndex + query.limit };
  const { link, first } = await readStart(services, caller, { key, walk });
  if (version !== null && version !== link.active_version) {
    throw new AppError(
      'conflict',
      'A newer version was published after the first page; start again without the cursor.',
    );
  }
  services.accessCounter.record(caller.scope, query.contentId);
  let next: string | null = null;
  return {
    head: {
      content_id: query.contentId,
      collection_id: query.collectionId,
      total_chunks: link.chunk_count,
      includes_embeddings: query.includeEmbeddings,
    },
    chunks: streamChunks(services, caller, {
      query,
      walk,
      first,
      link,
      onEnd: (lastIndex) => {
        if (lastIndex < link.chunk_count - 1) next = encodeCursor(binding, [link.active_version ?? 0, lastIndex]);
      },
    }),
    nextCursor: () => next,
  };
}

type Key = { contentId: string; collectionId: string };
type Walk = { afterIndex: number; end: number | null };
type Link = { chunk_count: number; active_version: number | null };

/** Returns the published version and its first chunks. Reads again when another version was published in between. */
async function readStart(
  { stores }: Services,
  { scope }: Caller,
  { key, walk }: { key: Key; walk: Walk },
): Promise<{ link: Link; first: Page<ContentChunkRow> }> {
  for (let attempt = 1; ; attempt += 1) {
    const link = await stores.chunks.findLink(scope, key);
    if (!link)
      throw new AppError(
        'not_found',
        'The content is not in that collection, or your credentials do not give access to it.',
      );
    const first = await stores.chunks.listContentChunks(scope, key, pageAfter(walk, walk.afterIndex));
    const isWhole = first.rows.length > 0 || walk.afterIndex >= link.chunk_count - 1;
    if (attempt === MAX_ATTEMPTS || (isWhole && first.rows.every((row) => row.version === link.active_version)))
      return { link, first };
  }
}

function pageAfter({ end }: Walk, afterIndex: number): { afterIndex: number; limit: number } {
  return { afterIndex, limit: end === null ? PAGE_SIZE : Math.min(PAGE_SIZE, end - afterIndex) };
}

type Stream = {
  query: ContentChunksQuery;
  walk: Walk;
  link: Link;
  first: Page<ContentChunkRow>;
  onEnd: (lastIndex: number) => void;
};

async function* streamChunks(services: Services, caller: Caller, stream: Stream): AsyncIterable<ContentChunk> {
  const { query, walk, link } = stream;
  let { rows, hasMore } = stream.first;
  let page = pageAfter(walk, walk.afterIndex);
  for (;;) {
    if (rows.some((row) => row.version !== link.active_version)) {
      throw new AppError(
        'conflict',
        'A newer version was published while the content was read; send the request again.',
      );
    }
    const vectors = query.includeEmbeddings ? await fetchEmbeddings(services, caller, rows) : null;
    for (const row of rows) yield toContentChunk(row, vectors?.get(row.id) ?? null);
    page = pageAfter(walk, rows.at(-1)?.chunk_index ?? page.afterIndex);
    if (!hasMore || page.limit <= 0) break;
    ({ rows, hasMore } = await services.stores.chunks.listContentChunks(caller.scope, query, page));
  }
  if (page.afterIndex < Math.min(walk.end ?? Infinity, link.chunk_count - 1)) {
    throw new AppError('conflict', 'The content was deleted while it was read.');
  }
  stream.onEnd(page.afterIndex);
}

function toContentChunk(row: ContentChunkRow, embedding: readonly number[] | null): ContentChunk {
  return {
    id: row.id,
    content_id: row.content_id,
    content: row.content,
    embedding: embedding === null ? null : [...embedding],
    meta_data: row.metadata,
    collection_id: row.collection_id,
    workspace_id: row.workspace_id,
    name: row.name,
    filters: row.filters,
    created_at: row.created_at,
  };
}
