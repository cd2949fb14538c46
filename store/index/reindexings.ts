import { reindexWorkflowId, type ReindexPart, type ReindexProgress } from '#domain/index/reindex-job.ts';
import type { Reindexing } from '#domain/records/reindexing.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { ChunkToIndex } from '#store/contents/chunks.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

type Row = Omit<Reindexing, 'workflow_id' | 'created_at' | 'updated_at' | 'completed_at'> & {
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
};

/** Cursor of a reindexing: the last chunk that was written. `collection` is null after the last collection. */
export type ReindexPosition = { collection: string | null; content: string | null; chunk: number };

/** A published chunk to write to the index again. */
export type ChunkToRewrite = Omit<ChunkToIndex, 'planned_chunks'>;

const COLUMNS = `id, workspace_id, status, total_contents, contents, skipped_contents, rejected_contents, chunks,
  total_memories, memories, created_at, updated_at, completed_at`;
/**
 * A reindexing does not wait for memories with more attempts: they are retried at growing intervals, and the embedder may never
 * accept their text.
 */
const MAX_AWAITED_ATTEMPTS = 8;
/** Contents that a reindexing names as rejected. An embedder that rejects more is not made for such texts. */
const MAX_REJECTED_CONTENTS = 100;
/** The cursor of a part, which begins where the whole has arrived; without a part, that of the whole. */
const POSITION = `coalesce(parts -> :part::text,
  jsonb_build_object('collection', at_collection, 'content', at_content, 'chunk', coalesce(at_chunk, -1)))`;
const MOVE_WHOLE = 'at_collection = :collection::uuid, at_content = :content::uuid, at_chunk = :chunk';
const PENDING_MEMORIES = `select count(*) from memory_versions v
  where v.workspace_id = :workspaceId and v.index_state = 'none'`;

/** Rebuilds of the search index of a workspace. */
export function createReindexings(database: Database) {
  return {
    /** Returns the reindexing that is in progress, or else the latest one. */
    async find(scope: Scope): Promise<Reindexing | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from reindexings where workspace_id = :workspaceId order by created_at desc, id desc limit 1`,
        { ...scope },
      );
      return row && toReindexing(row);
    },

    /** Inserts a reindexing; null when one is in progress. */
    async insert(scope: Scope, createdBy: string): Promise<Reindexing | null> {
      const row = await queryOne<Row>(
        database,
        `insert into reindexings (workspace_id, created_by) values (:workspaceId, :createdBy)
         on conflict (workspace_id) where status <> 'completed' do nothing returning ${COLUMNS}`,
        { ...scope, createdBy },
      );
      return row && toReindexing(row);
    },

    /** Counts the contents and memories to write. False when the reindexing was started before. */
    async start(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update reindexings set status = 'running', updated_at = now(),
           at_collection = (
             select id from collections where workspace_id = :workspaceId and status <> 'deleting' order by id limit 1),
           total_contents = (
             select count(*) from content_collections cc
             join collections c on c.id = cc.collection_id and c.status <> 'deleting'
             where cc.workspace_id = :workspaceId and cc.active_version is not null),
           total_memories = (select count(*) from memory_versions where workspace_id = :workspaceId)
         where id = :id and workspace_id = :workspaceId and status = 'pending' returning id`,
        { ...scope, id },
      );
      return row !== null;
    },

    /** Returns the counts of all parts, and where a part is, or the whole. */
    findProgress(
      scope: Scope,
      id: string,
      part?: ReindexPart,
    ): Promise<(ReindexProgress & { position: ReindexPosition }) | null> {
      return queryOne<ReindexProgress & { position: ReindexPosition }>(
        database,
        `select contents, total_contents, memories, total_memories, ${POSITION} as position
         from reindexings where id = :id and workspace_id = :workspaceId`,
        { ...scope, id, part: part?.number ?? null },
      );
    },

    /** Returns the id of the collection, or of the next one when it no longer exists; null after the last. */
    async findCollectionFrom(scope: Scope, id: string): Promise<string | null> {
      const row = await queryOne<{ id: string }>(
        database,
        `select id from collections where workspace_id = :workspaceId and status <> 'deleting' and id >= :id::uuid
         order by id limit 1`,
        { ...scope, id },
      );
      return row?.id ?? null;
    },

    /** Returns published chunks of a collection, or of a part of it, after a position, ordered by content and chunk index. */
    listChunksAfter(
      scope: Scope,
      { part, ...at }: { collection: string; content: string | null; chunk: number; part?: ReindexPart | undefined },
      limit: number,
    ): Promise<ChunkToRewrite[]> {
      return query<ChunkToRewrite>(
        database,
        `select ch.id, cc.content_id, ch.version, ch.chunk_index, ch.content, ch.context, ch.metadata
         from content_collections cc
         cross join lateral (
           select * from chunks ch
           where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
             and ch.chunk_index > case when cc.content_id = :content::uuid then :chunk::int else -1 end
           order by ch.chunk_index limit :limit) ch
         where cc.workspace_id = :workspaceId and cc.collection_id = :collection and cc.active_version is not null
           and (:content::uuid is null or cc.content_id >= :content::uuid)
           -- The last byte of an id is random.
           and (:parts::int is null or get_byte(uuid_send(cc.content_id), 15) % :parts::int = :part::int)
         order by cc.content_id, ch.chunk_index limit :limit`,
        { ...scope, ...at, parts: part?.of ?? null, part: part?.number ?? null, limit },
      );
    },

    /**
     * Records what was written and moves the cursor, unless another worker has moved it: one that stalled counts nothing twice.
     */
    async advance(
      scope: Scope,
      id: string,
      written: {
        part?: ReindexPart | undefined;
        from: ReindexPosition;
        to: ReindexPosition;
        contents: number;
        skippedContents: number;
        /** Ids, also several times. */
        rejectedContents: readonly string[];
        chunks: number;
      },
    ): Promise<void> {
      const { part, from, to, ...counts } = written;
      await query(
        database,
        `update reindexings set updated_at = now(), contents = contents + :contents::bigint,
           chunks = chunks + :chunks::bigint, skipped_contents = skipped_contents + :skippedContents::bigint,
           rejected_contents = case when :rejectedContents::uuid[] <@ rejected_contents then rejected_contents else array(
             select distinct unnest(rejected_contents || :rejectedContents::uuid[]) limit ${MAX_REJECTED_CONTENTS}) end,
           ${part ? 'parts = parts || jsonb_build_object(:part::text, :to::jsonb)' : MOVE_WHOLE}
         where id = :id and workspace_id = :workspaceId and ${POSITION} = :from::jsonb`,
        {
          ...scope,
          id,
          ...counts,
          ...to,
          part: part?.number ?? null,
          from: JSON.stringify(positionOf(from)),
          to: JSON.stringify(positionOf(to)),
        },
      );
    },

    async findCollectionAfter(scope: Scope, id: string): Promise<string | null> {
      const row = await queryOne<{ id: string }>(
        database,
        `select id from collections where workspace_id = :workspaceId and status <> 'deleting' and id > :id::uuid
         order by id limit 1`,
        { ...scope, id },
      );
      return row?.id ?? null;
    },

    async countPublished(scope: Scope, collectionId: string): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from content_collections
         where workspace_id = :workspaceId and collection_id = :collectionId and active_version is not null`,
        { ...scope, collectionId },
      );
      return row?.count ?? 0;
    },

    /** Updates the count of memories that are in the index; false when there are no more to wait for. */
    async countIndexedMemories(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne<{ is_more: boolean }>(
        database,
        `update reindexings set updated_at = now(), memories = greatest(memories, total_memories - (${PENDING_MEMORIES}))
         where id = :id and workspace_id = :workspaceId
         returning exists (
           ${PENDING_MEMORIES.replace('count(*)', '1')} and v.index_attempts < ${MAX_AWAITED_ATTEMPTS}) as is_more`,
        { ...scope, id },
      );
      return row?.is_more === true;
    },

    async complete(scope: Scope, id: string): Promise<void> {
      await query(
        database,
        `update reindexings set status = 'completed', completed_at = now(), updated_at = now()
         where id = :id and workspace_id = :workspaceId and status <> 'completed'`,
        { ...scope, id },
      );
    },
  };
}

export type Reindexings = ReturnType<typeof createReindexings>;

function positionOf({ collection, content, chunk }: ReindexPosition): ReindexPosition {
  return { collection, content, chunk };
}

function toReindexing(row: Row): Reindexing {
  return {
    ...row,
    workflow_id: reindexWorkflowId(row.id),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
