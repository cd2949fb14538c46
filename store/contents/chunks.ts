import type { ChunkMetadata } from '#domain/records/chunk.ts';
import type { Scope } from '#domain/access/scope.ts';
import { SEARCHED_INDEX, type WrittenIndex } from '#store/collections/generations.ts';
import { IN_PROGRESS } from '#store/uploads/change-runs.ts';
import { MINE, type RunContents, type RunRef } from '#store/uploads/run-work.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, type Database } from '#store/postgres.ts';
import { findChunkHits, findChunkTexts, findUnpublishedVersions } from './chunk-hits.ts';
import { findNeighbours, listChunkIds } from './chunk-neighbours.ts';
import { createPublishedChunks } from './published-chunks.ts';

/** A chunk to insert; `id` is derived from collection, content, version and index. */
export type NewChunk = {
  id: string;
  content_id: string;
  version: number;
  chunk_index: number;
  content: string;
  /** Text that is put before `content` for embedding and indexing. */
  context: string;
  size: number;
  tokens: number;
  metadata: ChunkMetadata;
};

/** A chunk to write to the index. */
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

/** Chunk rows. Rows of a version that is not the `active_version` of its run are never returned to clients. */
export function createChunkStore(database: Database) {
  return {
    ...createPublishedChunks(database),

    findHits: (scope: Scope, asked: { ids: readonly string[]; withMetadata: boolean }) =>
      findChunkHits(database, scope, asked),

    /** Returns the versions that are not published, of the chunks with these ids, at most 500. */
    findUnpublished: (scope: Scope, ids: readonly string[]) => findUnpublishedVersions(database, scope, ids),
    findTexts: (scope: Scope, ids: readonly string[]) => findChunkTexts(database, scope, ids),

    findNeighbours: (scope: Scope, asked: { ids: readonly string[]; before: number; after: number }) =>
      findNeighbours(database, scope, asked),

    listIds: (scope: Scope, asked: { contentId: string; collectionId: string; from: number; limit: number }) =>
      listChunkIds(database, scope, asked),

    /**
     * Inserts or replaces chunks of contents that the run still owns in this version (idempotent), and that no other attempt
     * has finished reading. Returns the ids of the contents whose chunks were written. One attempt after the other: of two that
     * insert the same chunk at the same moment, one would meet the second unique index of the table, on which a row is not
     * replaced but refused.
     */
    async insert(scope: Scope, run: RunRef, chunks: readonly NewChunk[]): Promise<Set<string>> {
      if (chunks.length === 0) return new Set();
      const contentIds = [...new Set(chunks.map((chunk) => chunk.content_id))];
      const rows = await query<{ content_id: string }>(
        database,
        `with mine as (
           select content_id, version from content_collections cc where ${MINE} and cc.stage in ${IN_PROGRESS}
             and cc.stage <> 'indexing' order by content_id for no key update
         ), added as (
           insert into chunks (id, workspace_id, content_id, collection_id, version, chunk_index, content, context, size, tokens,
             metadata)
           select x.id, :workspaceId, x.content_id, :collectionId, x.version, x.chunk_index, x.content, x.context, x.size,
             x.tokens, x.metadata
           from jsonb_to_recordset(:chunks::jsonb) as x(id uuid, content_id uuid, version int, chunk_index int, content text,
             context text, size int, tokens int, metadata jsonb)
           join mine on mine.content_id = x.content_id and mine.version = x.version
           on conflict (id) do update set content = excluded.content, context = excluded.context, size = excluded.size,
             tokens = excluded.tokens, metadata = excluded.metadata
         )
         select content_id from mine`,
        { workspaceId: scope.workspaceId, ...run, contentIds, chunks: JSON.stringify(chunks) },
      );
      return new Set(rows.map((row) => row.content_id));
    },

    /** Returns the next chunks of a run that are not in the index yet, ordered by content and index. */
    nextToIndex(
      scope: Scope,
      run: RunContents,
      page: { after: { contentId: string; chunkIndex: number } | null; limit: number },
    ) {
      return query<ChunkToIndex>(
        database,
        `select ch.id, ch.content_id, ch.version, ch.chunk_index, cc.planned_chunks, ch.content, ch.context, ch.metadata
         from content_collections cc cross join lateral (
           select * from chunks ch
           where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.version
             and ch.chunk_index >= greatest(cc.indexed_chunks,
               case when cc.content_id = :afterId::uuid then :afterIndex::int + 1 else 0 end)
           order by ch.chunk_index limit :limit) ch
         where ${MINE} and cc.stage = 'indexing' and not cc.paused
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

    /**
     * Records for each content how many of its chunks are in the index with this tenant. Nothing when that one is not the active
     * one any more, or in a later epoch; its lock is taken before those of the rows, as everywhere.
     */
    async advanceIndexed(
      scope: Scope,
      run: RunRef & WrittenIndex,
      indexed: ReadonlyMap<string, number>,
    ): Promise<void> {
      if (indexed.size === 0) return;
      await query(
        database,
        `with searched as (${SEARCHED_INDEX}), mine as (
           select content_id from content_collections cc
           where ${MINE} and exists (select from searched) order by content_id for update)
         update content_collections cc set indexed_chunks = greatest(cc.indexed_chunks, x.indexed), dead_attempts = 1,
           updated_at = now()
         from mine join (select unnest(:contentIds::uuid[]) as content_id, unnest(:counts::int[]) as indexed) x using (content_id)
         where cc.content_id = mine.content_id and ${ofCollection('cc')}`,
        { workspaceId: scope.workspaceId, ...run, contentIds: [...indexed.keys()], counts: [...indexed.values()] },
      );
    },

    /** Deletes chunk rows of a content in a range of versions, at most `limit`. Returns the number of deleted rows. */
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

/** All versions up to `maxVersion` (null: all versions) except those in `keep`. */
export type VersionsToDelete = { keep: readonly number[]; maxVersion: number | null; limit: number };

export type ChunkStore = ReturnType<typeof createChunkStore>;
