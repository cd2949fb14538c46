import type { ChunkMetadata } from '#domain/records/chunk.ts';
import type { Scope } from '#domain/access/scope.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

/** A published chunk, as lists and searches return it. */
export type PublishedChunk = {
  id: string;
  content_id: string;
  collection_id: string;
  workspace_id: string;
  content: string;
  metadata: ChunkMetadata;
  chunk_index: number;
  size: number;
  created_at: number;
};

export type ChunkPosition = { publishSeq: number; chunkIndex: number };
export type ChunkFilter = { collectionId?: string | undefined; contentId?: string | undefined };

/** Fields of the content to which a chunk belongs. */
export type ContentOfChunk = {
  name: string;
  type: string | null;
  external_id: string | null;
  content_size: number | null;
  content_hash: string | null;
  source: string;
  url: string | null;
  description: string | null;
  content_metadata: Record<string, unknown>;
  content_created_at: Date;
  content_updated_at: Date;
};

const COLUMNS = `ch.id, ch.content_id, ch.collection_id, ch.workspace_id, ch.content, ch.metadata, ch.chunk_index, ch.size,
  floor(extract(epoch from ch.created_at))::bigint as created_at`;

const ROW_BYTES = rowBytes({ texts: ['ch.content'], json: ['ch.metadata'] });

const PUBLISHED_IN_SCOPE = `cc.workspace_id = :workspaceId and cc.active_version is not null
  and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
  and ${notDeleting('cc.collection_id')}
  and (:collectionId::uuid is null or cc.collection_id = :collectionId)
  and (:contentId::uuid is null or cc.content_id = :contentId)`;

/** The same condition for one collection. */
const PUBLISHED_IN_COLLECTION = `cc.collection_id = :collectionId and cc.active_version is not null
  and (:contentId::uuid is null or cc.content_id = :contentId) and ${COLLECTION_IN_SCOPE}`;

/**
 * Runs at the end of every search. `offset 0` keeps the planner from merging the subqueries: it then looks up each row by key,
 * even when it has no statistics yet of tables that were just filled.
 */
const FIND_PUBLISHED: PreparedStatement = {
  name: 'find_published_chunks',
  sql: `select ${COLUMNS}, t.name, t.type, t.external_id, t.size as content_size, t.content_hash, t.source, t.url,
      t.metadata as content_metadata, t.description, t.created_at as content_created_at, t.updated_at as content_updated_at
    from unnest(:ids::uuid[]) as asked(id)
    cross join lateral (select * from chunks where id = asked.id offset 0) ch
    cross join lateral (
      select from content_collections cc where cc.content_id = ch.content_id and cc.collection_id = ch.collection_id
        and cc.workspace_id = :workspaceId and cc.active_version = ch.version
        and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
        and ${notDeleting('cc.collection_id')} offset 0) published
    cross join lateral (select * from contents where id = ch.content_id offset 0) t`,
};

/** Reads of published chunks, which are part of the chunk store. */
export function createPublishedChunks(database: Database) {
  return {
    /**
     * Returns a page in publication order. Chunks that are published later come after every position that was returned
     * before.
     */
    listPublished(scope: Scope, filter: ChunkFilter, { after, limit }: { after: ChunkPosition | null; limit: number }) {
      const list = `select ${COLUMNS}, cc.publish_seq, ${ROW_BYTES} from content_collections cc cross join lateral (
          select * from chunks ch
          where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
            and ch.chunk_index > case when cc.publish_seq = :afterSeq::bigint then :afterIndex::int else -1 end
          order by ch.chunk_index limit :mostOfContent) ch
        where ${publishedCondition(filter)} and cc.publish_seq >= :afterSeq::bigint
        order by cc.publish_seq, ch.chunk_index`;
      const bindings = {
        ...scope,
        ...filterBindings(filter),
        afterSeq: after?.publishSeq ?? -1,
        afterIndex: after?.chunkIndex ?? -1,
        mostOfContent: limit + 1,
      };
      const page = { list, order: 'publish_seq, chunk_index', limit };
      return queryPage<PublishedChunk & { publish_seq: number }>(database, page, bindings);
    },

    async countPublished(scope: Scope, filter: ChunkFilter): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select coalesce(sum(cc.chunk_count), 0)::bigint as count
         from content_collections cc where ${publishedCondition(filter)}`,
        { ...scope, ...filterBindings(filter) },
      );
      return row?.count ?? 0;
    },

    /** Returns the published chunks among these ids, in any order, with the fields of their contents. */
    findPublished(scope: Scope, ids: readonly string[]) {
      return query<PublishedChunk & ContentOfChunk>(database, FIND_PUBLISHED, { ...scope, ids });
    },

    /** Returns a page of the published chunks of one content in a collection, ordered by index. */
    listContentChunks(
      scope: Scope,
      key: { contentId: string; collectionId: string },
      { afterIndex, limit }: { afterIndex: number; limit: number },
    ) {
      const list = `select ${COLUMNS}, ch.version, t.name, t.metadata as filters,
          ${rowBytes({ texts: ['ch.content'], json: ['ch.metadata', 't.metadata'] })}
        from content_collections cc
        join chunks ch on ch.content_id = cc.content_id and ch.collection_id = cc.collection_id
          and ch.version = cc.active_version
        join contents t on t.id = cc.content_id
        where ${PUBLISHED_IN_SCOPE} and ch.chunk_index > :afterIndex order by ch.chunk_index`;
      return queryPage<PublishedChunk & { name: string; filters: Record<string, unknown>; version: number }>(
        database,
        { list, order: 'chunk_index', limit },
        { ...scope, ...key, afterIndex },
      );
    },

    /** Returns the published version of a content in a collection; null when the scope does not include it. */
    findLink(scope: Scope, key: { contentId: string; collectionId: string }) {
      return queryOne<{ chunk_count: number; active_version: number | null }>(
        database,
        `select cc.chunk_count, cc.active_version from content_collections cc where cc.workspace_id = :workspaceId
           and cc.content_id = :contentId and cc.collection_id = :collectionId
           and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
           and ${notDeleting('cc.collection_id')}`,
        { ...scope, ...key },
      );
    },
  };
}

function publishedCondition({ collectionId }: ChunkFilter): string {
  return collectionId === undefined ? PUBLISHED_IN_SCOPE : PUBLISHED_IN_COLLECTION;
}

function filterBindings(filter: ChunkFilter) {
  return { collectionId: filter.collectionId, contentId: filter.contentId };
}
