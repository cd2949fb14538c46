import type { Scope } from '#domain/access/scope.ts';
import type { RunContents, RunRef } from '#store/uploads/run-stages.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

/** A chunk to be written; `id` is made of collection, content, version and index. */
export type NewChunk = {
  id: string;
  content_id: string;
  version: number;
  chunk_index: number;
  content: string;
  /** What goes before `content` in what is embedded and indexed. */
  context: string;
  size: number;
  tokens: number;
  metadata: Record<string, unknown>;
};

/** A chunk on its way into the index, with what it can be filtered by. */
export type ChunkToIndex = {
  id: string;
  content_id: string;
  version: number;
  chunk_index: number;
  planned_chunks: number;
  content: string;
  context: string;
  metadata: Record<string, unknown>;
};

/** A published chunk, as lists and searches show it. */
export type PublishedChunk = {
  id: string;
  content_id: string;
  collection_id: string;
  workspace_id: string;
  content: string;
  metadata: Record<string, unknown>;
  chunk_index: number;
  size: number;
  created_at: number;
};

export type ChunkPosition = { publishSeq: number; chunkIndex: number };
export type ChunkFilter = { collectionId?: string | undefined; contentId?: string | undefined };

const COLUMNS = `ch.id, ch.content_id, ch.collection_id, ch.workspace_id, ch.content, ch.metadata, ch.chunk_index, ch.size,
  floor(extract(epoch from ch.created_at))::bigint as created_at`;

const PUBLISHED_IN_SCOPE = `cc.workspace_id = :workspaceId and cc.active_version is not null
  and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${notDeleting('cc.collection_id')}
  and (:collectionId::uuid is null or cc.collection_id = :collectionId) and (:contentId::uuid is null or cc.content_id = :contentId)`;

/** The same for one collection. */
const PUBLISHED_IN_COLLECTION = `cc.collection_id = :collectionId and cc.active_version is not null
  and (:contentId::uuid is null or cc.content_id = :contentId) and ${COLLECTION_IN_SCOPE}`;

/**
 * Every search ends with this. One look-up by key after the other, whatever the planner knows or does not know yet of tables just
 * filled.
 */
const FIND_PUBLISHED: PreparedStatement = {
  name: 'find_published_chunks',
  sql: `select ${COLUMNS}, t.name, t.type, t.external_id, t.size as content_size, t.content_hash, t.source, t.url, t.metadata as content_metadata,
      t.description, t.created_at as content_created_at, t.updated_at as content_updated_at
    from unnest(:ids::uuid[]) as asked(id)
    cross join lateral (select * from chunks where id = asked.id offset 0) ch
    cross join lateral (
      select from content_collections cc where cc.content_id = ch.content_id and cc.collection_id = ch.collection_id
        and cc.workspace_id = :workspaceId and cc.active_version = ch.version
        and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${notDeleting('cc.collection_id')} offset 0) published
    cross join lateral (select * from contents where id = ch.content_id offset 0) t`,
};

/** Chunk rows. Those of a version that is not `active_version` belong to no answer. */
export function createChunkStore(database: Database) {
  return {
    /**
     * Writes chunks of contents that the run still owns in this version; writing twice is writing once. Returns the contents
     * written to.
     */
    async insert(scope: Scope, run: RunRef, chunks: readonly NewChunk[]): Promise<Set<string>> {
      if (chunks.length === 0) return new Set();
      const contentIds = [...new Set(chunks.map((chunk) => chunk.content_id))];
      const rows = await query<{ content_id: string }>(
        database,
        `with mine as (
           select content_id, version from content_collections where workspace_id = :workspaceId and collection_id = :collectionId
             and run_id = :runId and content_id = any(:contentIds::uuid[]) order by content_id for share
         ), added as (
           insert into chunks (id, workspace_id, content_id, collection_id, version, chunk_index, content, context, size, tokens, metadata)
           select x.id, :workspaceId, x.content_id, :collectionId, x.version, x.chunk_index, x.content, x.context, x.size, x.tokens, x.metadata
           from jsonb_to_recordset(:chunks::jsonb) as x(id uuid, content_id uuid, version int, chunk_index int, content text, context text, size int,
             tokens int, metadata jsonb) join mine on mine.content_id = x.content_id and mine.version = x.version
           on conflict (id) do update set content = excluded.content, context = excluded.context, size = excluded.size, tokens = excluded.tokens, metadata = excluded.metadata
         )
         select content_id from mine`,
        { workspaceId: scope.workspaceId, ...run, contentIds, chunks: JSON.stringify(chunks) },
      );
      return new Set(rows.map((row) => row.content_id));
    },

    /** The next chunks of a run that are not in the index, in (content, index) order. */
    nextToIndex(
      scope: Scope,
      run: RunContents,
      page: { after: { contentId: string; chunkIndex: number } | null; limit: number },
    ) {
      return query<ChunkToIndex>(
        database,
        `select ch.id, ch.content_id, ch.version, ch.chunk_index, cc.planned_chunks, ch.content, ch.context, ch.metadata
         from content_collections cc cross join lateral (
           select * from chunks ch where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.version
             and ch.chunk_index >= greatest(cc.indexed_chunks, case when cc.content_id = :afterId::uuid then :afterIndex::int + 1 else 0 end)
           order by ch.chunk_index limit :limit) ch
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.run_id = :runId
           and cc.content_id = any(:contentIds::uuid[]) and cc.stage = 'indexing' and not cc.paused
           and (:afterId::uuid is null or cc.content_id >= :afterId::uuid)
         order by cc.content_id, ch.chunk_index limit :limit`,
        {
          workspaceId: scope.workspaceId,
          ...run,
          afterId: page.after?.contentId,
          afterIndex: page.after?.chunkIndex ?? -1,
          limit: page.limit,
        },
      );
    },

    /** Records how far the index has the chunks of each content. */
    async advanceIndexed(scope: Scope, run: RunRef, indexed: ReadonlyMap<string, number>): Promise<void> {
      await query(
        database,
        `with mine as (
           select content_id from content_collections where workspace_id = :workspaceId and collection_id = :collectionId
             and run_id = :runId and content_id = any(:contentIds::uuid[]) order by content_id for update)
         update content_collections cc set indexed_chunks = greatest(cc.indexed_chunks, x.indexed), dead_attempts = 0, updated_at = now()
         from mine join (select unnest(:contentIds::uuid[]) as content_id, unnest(:counts::int[]) as indexed) x using (content_id)
         where cc.content_id = mine.content_id and cc.collection_id = :collectionId`,
        { workspaceId: scope.workspaceId, ...run, contentIds: [...indexed.keys()], counts: [...indexed.values()] },
      );
    },

    /**
     * A page in publication order, one row more than `limit` when there are more. What is published while somebody walks
     * comes behind every position that was handed out.
     */
    listPublished(scope: Scope, filter: ChunkFilter, page: { after: ChunkPosition | null; limit: number }) {
      return query<PublishedChunk & { publish_seq: number }>(
        database,
        `select ${COLUMNS}, cc.publish_seq from content_collections cc cross join lateral (
           select * from chunks ch where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
             and ch.chunk_index > case when cc.publish_seq = :afterSeq::bigint then :afterIndex::int else -1 end
           order by ch.chunk_index limit :limit) ch
         where ${publishedCondition(filter)} and cc.publish_seq >= :afterSeq::bigint
         order by cc.publish_seq, ch.chunk_index limit :limit`,
        {
          ...scope,
          ...filterBindings(filter),
          afterSeq: page.after?.publishSeq ?? -1,
          afterIndex: page.after?.chunkIndex ?? -1,
          limit: page.limit + 1,
        },
      );
    },

    async countPublished(scope: Scope, filter: ChunkFilter): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select coalesce(sum(cc.chunk_count), 0)::bigint as count from content_collections cc where ${publishedCondition(filter)}`,
        { ...scope, ...filterBindings(filter) },
      );
      return row?.count ?? 0;
    },

    /** Published chunks by id, in any order; others are absent. With the content's fields for filters and answers. */
    findPublished(scope: Scope, ids: readonly string[]) {
      return query<PublishedChunk & ContentOfChunk>(database, FIND_PUBLISHED, { ...scope, ids });
    },

    /** A page of one content's published chunks in a collection, by index. */
    listContentChunks(
      scope: Scope,
      key: { contentId: string; collectionId: string },
      page: { afterIndex: number; limit: number },
    ) {
      return query<PublishedChunk & { name: string; filters: Record<string, unknown>; version: number }>(
        database,
        `select ${COLUMNS}, ch.version, t.name, t.metadata as filters from content_collections cc
         join chunks ch on ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
         join contents t on t.id = cc.content_id
         where ${PUBLISHED_IN_SCOPE} and ch.chunk_index > :afterIndex order by ch.chunk_index limit :limit`,
        { ...scope, ...key, ...page },
      );
    },

    /** Whether the scope reaches a content in a collection, and how many chunks it shows there. */
    findLink(scope: Scope, key: { contentId: string; collectionId: string }) {
      return queryOne<{ chunk_count: number; active_version: number | null }>(
        database,
        `select cc.chunk_count, cc.active_version from content_collections cc where cc.workspace_id = :workspaceId
           and cc.content_id = :contentId and cc.collection_id = :collectionId
           and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${notDeleting('cc.collection_id')}`,
        { ...scope, ...key },
      );
    },

    /** Deletes chunk rows of a content in a range of versions, at most `limit`; returns how many went. */
    async deleteVersions(scope: Scope, key: { contentId: string; collectionId: string }, range: VersionsToDelete) {
      const rows = await query<{ id: string }>(
        database,
        `delete from chunks where id in (select id from chunks where workspace_id = :workspaceId and content_id = :contentId
           and collection_id = :collectionId and not version = any(:keep::int[])
           and (:maxVersion::int is null or version <= :maxVersion::int) limit :limit) returning id`,
        { workspaceId: scope.workspaceId, ...key, ...range },
      );
      return rows.length;
    },
  };
}

/** All versions up to `maxVersion` (null: all there are) but those to keep. */
export type VersionsToDelete = { keep: readonly number[]; maxVersion: number | null; limit: number };

export type ChunkStore = ReturnType<typeof createChunkStore>;

/** Fields of the content that a chunk belongs to. */
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

function publishedCondition({ collectionId }: ChunkFilter): string {
  return collectionId === undefined ? PUBLISHED_IN_SCOPE : PUBLISHED_IN_COLLECTION;
}

function filterBindings(filter: ChunkFilter) {
  return { collectionId: filter.collectionId, contentId: filter.contentId };
}
