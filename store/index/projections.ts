import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';
import type { Facettable } from '#store/uploads/publications.ts';
import { IN_PROGRESS } from '#store/uploads/change-runs.ts';

/** Contents of a collection that are to be projected, for one workflow. */
export type ProjectionClaim = { collection_id: string; content_ids: string[] };

/** What filters see of published contents, on its way into the index. */
export function createProjectionStore(database: Database) {
  return {
    /**
     * Takes over the projection of contents that changed, wherever they are published. Those left out have a workflow that is
     * under way: it looks again before it ends (`markSynced`), and so comes by this change.
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
           where cc.content_id = target.content_id and cc.collection_id = target.collection_id returning cc.content_id, cc.collection_id
         )
         select collection_id, array_agg(content_id order by content_id) as content_ids from claimed group by collection_id`,
        { workspaceId: scope.workspaceId, contentIds },
      );
    },

    /**
     * Takes turns in writing the filters of a content, for the rest of the transaction. Weaviate (1.38) loses entries of its
     * filter index when one object is changed twice at the same time, even to the same.
     */
    async lockContent(scope: Scope, key: { contentId: string; collectionId: string }): Promise<void> {
      await query(
        database,
        `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :contentId || '/' || :collectionId, 3))`,
        { workspaceId: scope.workspaceId, ...key },
      );
    },

    /** The same for several contents, in one order. */
    async lockContents(scope: Scope, collectionId: string, contentIds: readonly string[]): Promise<void> {
      await query(
        database,
        `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || id || '/' || :collectionId, 3))
         from (select distinct unnest(:contentIds::uuid[]) as id order by 1) ids`,
        { workspaceId: scope.workspaceId, collectionId, contentIds },
      );
    },

    /**
     * A content is in step with the index of a collection again, unless a run may have taken up what it was before: its
     * publication projects once more. Returns false when the content changed meanwhile, so that the index wants something
     * else already.
     */
    async markSynced(scope: Scope, collectionId: string, content: Facettable): Promise<boolean> {
      const { content_id: contentId, name, metadata, external_id } = content;
      const rows = await query(
        database,
        `with link as (
           -- First the run, then the content, as everywhere.
           select content_id from content_collections where workspace_id = :workspaceId and content_id = :contentId
             and collection_id = :collectionId for update
         ), same as (
           select t.id from link join contents t on t.id = link.content_id where t.name = :name
             and t.metadata = :metadata::jsonb and t.external_id is not distinct from :external_id for no key update of t
         ), done as (
           update content_collections cc set projecting = false from same where cc.content_id = same.id and cc.collection_id = :collectionId
         ), synced as (
           update contents t set sync_status = 'synced' from same where t.id = same.id and t.sync_status = 'stale'
             and not exists (select 1 from content_collections cc where cc.content_id = same.id and cc.stage in ${IN_PROGRESS})
         )
         select id from same union all select :contentId::uuid where not exists (select from link)`,
        {
          workspaceId: scope.workspaceId,
          collectionId,
          contentId,
          name,
          metadata: JSON.stringify(metadata),
          external_id,
        },
      );
      return rows.length > 0;
    },
  };
}

export type ProjectionStore = ReturnType<typeof createProjectionStore>;
