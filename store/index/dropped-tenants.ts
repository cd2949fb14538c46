import type { EmbeddingSpace } from '#domain/embedder.ts';
import { query, type Database } from '#store/postgres.ts';

/** A tenant that was dropped; `passes` counts how often it was dropped before this pass. */
export type DroppedTenant = { tenant: string; workspace_id: string; passes: number } & EmbeddingSpace;

const KEY = `tenant, provider, model, model_hash, dimensions`;

/** Tenants of deleted collections and workspaces. The methods take no scope, because one loop serves all workspaces. */
export function createDroppedTenants(database: Database) {
  return {
    /** Claims tenants whose next pass is due. A pass that `completePass` does not end is due again after `leaseMs`. */
    claimDue(limit: number, leaseMs: number): Promise<DroppedTenant[]> {
      return query<DroppedTenant>(
        database,
        `update dropped_tenants set due_at = now() + :leaseMs::bigint * interval '1 millisecond'
         where (${KEY}) in (
           select ${KEY} from dropped_tenants where due_at <= now() order by due_at limit :limit for update skip locked)
         returning tenant, workspace_id, passes, provider, model, model_hash, dimensions`,
        { limit, leaseMs },
      );
    },

    /** Schedules the next pass of a tenant, with the delays of `passDelaysMs` in turn. Deletes one that had its last pass. */
    async completePass(dropped: DroppedTenant, passDelaysMs: readonly number[]): Promise<void> {
      await query(
        database,
        `with done as (
           select ${KEY} from dropped_tenants
           where (${KEY}) = (:tenant, :provider, :model, :model_hash, :dimensions::int) and passes = :passes for update
         ), ended as (
           delete from dropped_tenants where (${KEY}) in (select ${KEY} from done) and :delayMs::bigint is null
         ) update dropped_tenants set passes = passes + 1, due_at = now() + :delayMs::bigint * interval '1 millisecond'
         where (${KEY}) in (select ${KEY} from done) and :delayMs::bigint is not null`,
        { ...dropped, delayMs: passDelaysMs[dropped.passes] ?? null },
      );
    },
  };
}

export type DroppedTenants = ReturnType<typeof createDroppedTenants>;
