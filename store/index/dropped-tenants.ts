import type { EmbeddingSpace } from '#domain/embedder.ts';
import { query, type Database } from '#store/postgres.ts';

/** A tenant that was dropped; `passes` counts how often it was dropped again. */
export type DroppedTenant = { tenant: string; workspace_id: string; passes: number } & EmbeddingSpace;

const KEY = `tenant, provider, model, model_hash, dimensions`;

/** Tenants of deleted collections and workspaces. The methods take no scope, because one loop serves all workspaces. */
export function createDroppedTenants(database: Database) {
  return {
    /** Claims tenants whose next pass is due and schedules the pass after it, with growing delays. */
    claimDue(limit: number, passDelaysMs: readonly number[]): Promise<DroppedTenant[]> {
      return query<DroppedTenant>(
        database,
        `update dropped_tenants set passes = passes + 1,
           due_at = now() + (:delays::bigint[])[least(passes + 1, cardinality(:delays::bigint[]))] * interval '1 millisecond'
         where (${KEY}) in (
           select ${KEY} from dropped_tenants where due_at <= now() order by due_at limit :limit for update skip locked)
         returning tenant, workspace_id, passes, provider, model, model_hash, dimensions`,
        { limit, delays: passDelaysMs },
      );
    },

    async delete(dropped: DroppedTenant): Promise<void> {
      await query(
        database,
        `delete from dropped_tenants where (${KEY}) = (:tenant, :provider, :model, :model_hash, :dimensions::int)`,
        { ...dropped },
      );
    },
  };
}

export type DroppedTenants = ReturnType<typeof createDroppedTenants>;
