import { z } from 'zod';
import { AppError } from '../domain/app-error.ts';
import type { Caller } from '../domain/caller.ts';
import { cursorError, decodeCursor, encodeCursor } from '../domain/cursor.ts';
import type { ContentChunk } from '../domain/records/content.ts';
import type { PublishedChunk } from '../store/chunks.ts';
import type { Services } from './services.ts';
import { fetchEmbeddings } from './show-chunk.ts';

export type ContentChunksQuery = {
  contentId: string;
  collectionId: string;
  includeEmbeddings: boolean;
  /** Null for all of them. */
  limit: number | null;
  cursor?: string | undefined;
};

export type ContentChunksAnswer = {
  head: { content_id: string; collection_id: string; total_chunks: number; includes_embeddings: boolean };
  /** Read page by page as the answer is written. */
  chunks: AsyncIterable<ContentChunk>;
  /** Known when `chunks` has come to its end; null behind the last chunk. */
  nextCursor: () => string | null;
};

const PAGE = 200;

type ContentChunkRow = PublishedChunk & { name: string; filters: Record<string, unknown>; version: number };

/**
 * The published chunks of a content in one collection, in order. All are of one version: when another one is published
 * while the answer is written, the stream ends with an error rather than mix them.
 * @throws AppError `not_found` when the content is not in that collection or not in reach.
 */
export async function listContentChunks(
  services: Services,
  caller: Caller,
  query: ContentChunksQuery,
): Promise<ContentChunksAnswer> {
  const key = { contentId: query.contentId, collectionId: query.collectionId };
  const binding = { list: 'content-chunks', filters: key };
  const start =
    query.cursor === undefined ? { version: null, index: -1 } : positionOf(decodeCursor(binding, query.cursor));
  const link = await services.stores.chunks.findLink(caller.scope, key);
  if (!link)
    throw new AppError('not_found', 'There is no such content in that collection, or this key does not reach it.');
  if (start.version !== null && start.version !== link.active_version) {
    throw new AppError(
      'conflict',
      'The content has a newer version since the first page; start again without the cursor.',
    );
  }
  services.accesses.note(caller.scope, query.contentId);
  let next: string | null = null;
  const walk = {
    version: link.active_version,
    afterIndex: start.index,
    end: query.limit === null ? null : start.index + query.limit,
  };
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
      onEnd: (lastIndex) => {
        if (lastIndex < link.chunk_count - 1) next = encodeCursor(binding, [link.active_version ?? 0, lastIndex]);
      },
    }),
    nextCursor: () => next,
  };
}

type Stream = {
  query: ContentChunksQuery;
  walk: { version: number | null; afterIndex: number; end: number | null };
  onEnd: (lastIndex: number) => void;
};

async function* streamChunks(services: Services, caller: Caller, stream: Stream): AsyncIterable<ContentChunk> {
  const { query, walk } = stream;
  let afterIndex = walk.afterIndex;
  while (walk.end === null || afterIndex < walk.end) {
    const limit = walk.end === null ? PAGE : Math.min(PAGE, walk.end - afterIndex);
    const rows = await services.stores.chunks.listOfContent(caller.scope, query, { afterIndex, limit });
    if (rows.some((row) => row.version !== walk.version)) {
      throw new AppError('conflict', 'The content got a newer version while it was read; ask again.');
    }
    const vectors = query.includeEmbeddings ? await fetchEmbeddings(services, caller, rows) : null;
    for (const row of rows) yield toContentChunk(row, vectors?.get(row.id) ?? null);
    afterIndex = rows.at(-1)?.chunk_index ?? afterIndex;
    if (rows.length < limit) break;
  }
  stream.onEnd(afterIndex);
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

function positionOf(position: unknown): { version: number; index: number } {
  const parsed = z.tuple([z.int(), z.int()]).safeParse(position);
  if (!parsed.success) throw cursorError('is not a cursor of this list; leave it out for the first page');
  return { version: parsed.data[0], index: parsed.data[1] };
}
