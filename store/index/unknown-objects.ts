import type { Scope } from '#domain/access/scope.ts';
import type { StoredObject } from '#store/weaviate/read-objects.ts';
import { query, type Database } from '#store/postgres.ts';

/** Objects of the index without a row, as beside a database that was restored from a backup. */
export function createUnknownObjects(database: Database) {
  return {
    /**
     * Schedules the removal of those of the objects that have no row, with all others of their versions. Residues do it: they
     * spare what is published or in progress, and what is added later begins after the last of these versions. Returns of how
     * many contents there are any.
     */
    async scheduleRemoval(scope: Scope, collectionId: string, objects: readonly StoredObject[]): Promise<number> {
      if (objects.length === 0) return 0;
      const rows = await query(
        database,
        `insert into residues (content_id, collection_id, workspace_id, last_version)
         select x.content_id, :collectionId, :workspaceId, max(x.version)
         from unnest(:ids::uuid[], :contentIds::uuid[], :versions::int[]) as x(id, content_id, version)
         where not exists (select from chunks ch where ch.id = x.id)
         group by x.content_id order by x.content_id
         on conflict (content_id, collection_id) do update set passes = 0, due_at = now(),
           last_version = greatest(residues.last_version, excluded.last_version)
         returning content_id`,
        {
          workspaceId: scope.workspaceId,
          collectionId,
          ids: objects.map(({ id }) => id),
          contentIds: objects.map(({ content_id }) => content_id),
          versions: objects.map(({ version }) => version),
        },
      );
      return rows.length;
    },
  };
}

export type UnknownObjects = ReturnType<typeof createUnknownObjects>;
