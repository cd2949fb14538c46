import type { ChunkMetadata } from '#domain/records/chunk.ts';
import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import { ANY_IN_SCOPE, collectionCounts } from '#store/collections/content-counts.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';
import { LINK_COLUMNS } from './content-lists.ts';
import { PUBLISHED_BY_ID } from './chunk-hits.ts';

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

/** A content in a collection. */
export type ContentLink = Pick<Content, 'status' | 'status_message' | 'error_code'> & {
  chunk_count: number;
  active_version: number | null;
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

const NEXT_LINKS = `from content_collections cc where cc.collection_id = place.id and cc.workspace_id = :workspaceId
  and cc.active_version is not null and cc.chunk_count > 0 and cc.publish_seq >= :afterSeq::bigint order by cc.publish_seq`;

/**
 * The next published contents of the collections in scope, merged as lists of contents are (`merged-contents.ts`): as many as the
 * page can have chunks, and the one in which the page before it ended.
 */
const LINKS_IN_SCOPE = `(
    select cc.* from (
      select place.id from unnest(:collectionIds::uuid[]) place(id)
      cross join lateral (select cc.publish_seq ${NEXT_LINKS} limit 1) cc where ${notDeleting('place.id')}
      order by cc.publish_seq limit :pageLimit::bigint + 2
    ) place cross join lateral (select cc.* ${NEXT_LINKS} limit :pageLimit::bigint + 2) cc
    order by cc.publish_seq limit :pageLimit::bigint + 2
  ) cc`;

/** Runs at the end of every search. */
const FIND_PUBLISHED: PreparedStatement = {
  name: 'find_published_chunks',
  sql: `select ${COLUMNS}, ch.context, t.name, t.type, t.external_id, t.size as content_size, t.content_hash, t.source, t.url,
      t.metadata as content_metadata, t.description, t.created_at as content_created_at, t.updated_at as content_updated_at
    from ${PUBLISHED_BY_ID}
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
      const isMerged =
        scope.collectionIds !== null && filter.collectionId === undefined && filter.contentId === undefined;
      const links = isMerged ? LINKS_IN_SCOPE : 'content_collections cc';
      const list = `select ${COLUMNS}, cc.publish_seq, ${ROW_BYTES} from ${links} cross join lateral (
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

    /** Of one content its runs are read; all other numbers are sums that the database keeps. */
    async countPublished(scope: Scope, filter: ChunkFilter): Promise<number> {
      const { collectionId, contentId } = filter;
      const counted = (id: string) =>
        collectionId === undefined ? ANY_IN_SCOPE(id) : `${id} = :collectionId and ${COLLECTION_IN_SCOPE}`;
      const row = await queryOne<{ count: number }>(
        database,
        contentId === undefined
          ? `select coalesce(sum(chunks), 0)::bigint as count from (${collectionCounts(counted, 'all')}) counts`
          : `select coalesce(sum(cc.chunk_count), 0)::bigint as count
             from content_collections cc where ${publishedCondition(filter)}`,
        { ...scope, ...filterBindings(filter) },
      );
      return row?.count ?? 0;
    },

    /** Returns the published chunks among these ids, in any order, with the fields of their contents. */
    findPublished(scope: Scope, ids: readonly string[]) {
      return query<PublishedChunk & ContentOfChunk & { context: string }>(database, FIND_PUBLISHED, { ...scope, ids });
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

    /**
     * Returns the published version of a content in a collection, and its status there as lists show it; null when the scope does
     * not include it.
     */
    findLink(scope: Scope, key: { contentId: string; collectionId: string }) {
      return queryOne<ContentLink>(
        database,
        `select cc.chunk_count, cc.active_version, seen.status, seen.status_message,
           case when seen.status = 'failed' then seen.failure_code end as error_code
         from content_collections cc join contents t on t.id = cc.content_id cross join lateral (select ${LINK_COLUMNS}) seen
         where cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.collection_id = :collectionId
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
