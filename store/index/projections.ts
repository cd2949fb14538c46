import type { Scope } from '#domain/access/scope.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import type { Facettable } from '#store/uploads/publications.ts';
import { KNOWS_GENERATIONS } from '#store/collections/generations.ts';
import { IN_PROGRESS, settleSyncStatuses } from '#store/uploads/change-runs.ts';

/** Contents of one collection whose filter fields one workflow writes to the index. */
export type ProjectionClaim = { collection_id: string; content_ids: string[] };

/** Projection of the filter fields of published contents into the index. */
export function createProjectionStore(database: Database) {
  return {
    /**
     * Claims the projection of changed contents in every collection where they are published. Contents that a running workflow
     * has claimed are left out: it checks for changes before it ends (`markSynced`).
     */
    claim(scope: Scope, contentIds: readonly string[]): Promise<ProjectionClaim[]> {
      return query<ProjectionClaim>(
        database,
        `with target as (
           select content_id, collection_id from content_collections where workspace_id = :workspaceId
             and content_id = any(:contentIds::uuid[]) and active_version is not null and not projecting
           order by content_id, collection_id for update
         ), claimed as (
           update content_collections cc set projecting = true from target
           where cc.content_id = target.content_id and cc.collection_id = target.collection_id
           returning cc.content_id, cc.collection_id
         )
         select collection_id, array_agg(content_id order by content_id) as content_ids from claimed group by collection_id`,
        { workspaceId: scope.workspaceId, contentIds },
      );
    },

    /** The largest number of chunks that one of the contents has in a collection where it is published. */
    async mostChunks(scope: Scope, contentIds: readonly string[]): Promise<number> {
      const row = await queryOne<{ chunks: number }>(
        database,
        `select coalesce(max(chunk_count), 0)::int as chunks from content_collections
         where workspace_id = :workspaceId and content_id = any(:contentIds::uuid[]) and active_version is not null`,
        { workspaceId: scope.workspaceId, contentIds },
      );
      return row?.chunks ?? 0;
    },

    /**
     * Serializes writes of the filter fields of a content until the transaction ends. Weaviate (1.38) loses entries of its filter
     * index when one object is changed twice at the same time, even to the same value.
     */
    lockContent: (scope: Scope, { contentId, collectionId }: { contentId: string; collectionId: string }) =>
      lockContents(database, scope, { collectionId, contentIds: [contentId] }),

    /** Takes the lock of `lockContent` for several contents, in the order of their ids. */
    lockContents: (scope: Scope, collectionId: string, contentIds: readonly string[]) =>
      lockContents(database, scope, { collectionId, contentIds }),

    /**
     * Resolves when no transaction that took the lock of `lockContents` before is left. Those that take it later find that the
     * contents are being deleted, and write nothing.
     */
    waitForWriters: (scope: Scope, collectionId: string, contentIds: readonly string[]) =>
      lockContents(database, scope, { collectionId, contentIds }),

    /**
     * Marks a content as synced with the index of a collection, unless a run is in progress that may have read earlier values:
     * its publication projects the content again. It is shown as synced when no other collection has to follow. Returns false
     * when the content has changed since, so that the index must be written again.
     */
    markSynced(scope: Scope, collectionId: string, content: Facettable): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const written = await markWritten(transaction, scope, { collectionId, content });
        const synced = written === 'same' ? [{ content_id: content.content_id, was_outdated: true }] : [];
        await settleSyncStatuses(transaction, scope.workspaceId, synced);
        return written !== 'changed';
      });
    },
  };
}

export type ProjectionStore = ReturnType<typeof createProjectionStore>;

/**
 * Ends the projection of a content in a collection if it is still the `same`. `gone`: it is not in the collection any more. Locks
 * the content.
 */
async function markWritten(
  transaction: Database,
  { workspaceId }: Scope,
  { collectionId, content }: { collectionId: string; content: Facettable },
): Promise<'same' | 'changed' | 'gone'> {
  const { content_id: contentId, name, metadata, external_id, type, size, content_hash, source, url } = content;
  const row = await queryOne<{ written: 'same' | 'changed' | 'gone' }>(
    transaction,
    `with link as (
       -- The lock order is run before content, as everywhere.
       select content_id from content_collections where workspace_id = :workspaceId and content_id = :contentId
         and collection_id = :collectionId for update
     ), same as (
       select t.id from link join contents t on t.id = link.content_id where t.name = :name
         and t.metadata = :metadata::jsonb and (t.external_id, t.type, t.size, t.content_hash, t.source, t.url)
           is not distinct from (:external_id, :type, :size::bigint, :content_hash, :source, :url) for no key update of t
     ), done as (
       update content_collections cc set projecting = false, filters_outdated = cc.filters_outdated and cc.stage in ${IN_PROGRESS}
       from same, (select ${KNOWS_GENERATIONS}) known where cc.content_id = same.id and ${ofCollection('cc')}
     )
     select case when exists (select from same) then 'same' when exists (select from link) then 'changed' else 'gone' end
       as written`,
    {
      workspaceId,
      collectionId,
      contentId,
      name,
      metadata: JSON.stringify(metadata),
      external_id,
      type,
      size,
      content_hash,
      source,
      url,
    },
  );
  return row?.written ?? 'gone';
}

async function lockContents(
  database: Database,
  { workspaceId }: Scope,
  contents: { collectionId: string; contentIds: readonly string[] },
): Promise<void> {
  await query(
    database,
    `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || id || '/' || :collectionId, 3))
     from (select distinct unnest(:contentIds::uuid[]) as id order by 1) ids`,
    { workspaceId, ...contents },
  );
}
