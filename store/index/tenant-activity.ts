import type { EmbeddingSpace } from '#domain/embedder.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A tenant of the index. */
export type TenantKey = { tenant: string } & EmbeddingSpace;
/** A tenant that nobody has used for a while. `used_at` is exact, as Postgres prints it. */
export type IdleTenant = TenantKey & { used_at: string };

const KEY = 'tenant, provider, model, model_hash, dimensions';
const GIVEN = `unnest(:tenants::text[], :providers::text[], :models::text[], :hashes::text[], :dimensions::int[])`;
const MEMORY_TENANT = `'^memories-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/** Uses of tenants. The methods take no scope, because they serve all workspaces. */
export function createTenantActivityStore(database: Database) {
  return {
    /**
     * Records that tenants are in use; writes only rows that are older than `precisionMs` or deactivated. Returns the tenants
     * that were deactivated before. Tenants that belong to nothing are left out.
     */
    async recordUses(tenants: readonly TenantKey[], precisionMs: number): Promise<TenantKey[]> {
      const rows = await query<TenantKey & { was_inactive: boolean }>(
        database,
        `insert into tenant_activity as t (${KEY}, workspace_id)
         select u.*, w.id from ${GIVEN} as u(${KEY})
         left join index_generations g on g.tenant = u.tenant
         join workspaces w on w.id = coalesce(g.workspace_id,
           case when u.tenant ~ ${MEMORY_TENANT} then substr(u.tenant, 10)::uuid end) and w.status = 'active'
         on conflict (${KEY}) do update set used_at = now(), deactivated_at = null
           where t.deactivated_at is not null or t.used_at < now() - :precisionMs * interval '1 millisecond'
         returning t.tenant, t.provider, t.model, t.model_hash, t.dimensions,
           old.deactivated_at is not null as was_inactive`,
        { ...keyLists(tenants), precisionMs },
      );
      return rows.flatMap(({ was_inactive, ...tenant }) => (was_inactive ? [tenant] : []));
    },

    /** Returns active tenants that have not been used for `idleMs`, the longest idle first. */
    findIdle(idleMs: number, limit: number): Promise<IdleTenant[]> {
      return query<IdleTenant>(
        database,
        `select ${KEY}, used_at::text as used_at from tenant_activity
         where deactivated_at is null and used_at < now() - :idleMs * interval '1 millisecond'
         order by tenant_activity.used_at limit :limit`,
        { idleMs, limit },
      );
    },

    /** Marks tenants as deactivated, except those that were used since they were read. */
    async markDeactivated(tenants: readonly IdleTenant[]): Promise<void> {
      await query(
        database,
        `update tenant_activity t set deactivated_at = now()
         from unnest(:tenants::text[], :hashes::text[], :dimensions::int[], :used::timestamptz[])
           as u(tenant, model_hash, dimensions, used_at)
         where (t.tenant, t.model_hash, t.dimensions, t.used_at) = (u.tenant, u.model_hash, u.dimensions, u.used_at)`,
        {
          tenants: tenants.map(({ tenant }) => tenant),
          hashes: tenants.map(({ model_hash }) => model_hash),
          dimensions: tenants.map(({ dimensions }) => dimensions),
          used: tenants.map(({ used_at }) => used_at),
        },
      );
    },

    /**
     * Adds up to `limit` tenants of collections that have no row (those of an older version of Loci) as used now, and forgets
     * those of deleted collections.
     */
    async matchCollections(limit: number): Promise<void> {
      await query(
        database,
        `insert into tenant_activity (${KEY}, workspace_id)
         select g.tenant, g.provider, g.model, g.model_hash, g.dimensions, g.workspace_id from index_generations g
         where not exists (select from tenant_activity t where t.tenant = g.tenant) limit :limit
         on conflict do nothing`,
        { limit },
      );
      await query(
        database,
        `delete from tenant_activity where tenant in (
           select t.tenant from tenant_activity t
           where t.tenant !~ ${MEMORY_TENANT} and not exists (select from index_generations g where g.tenant = t.tenant)
           limit :limit)`,
        { limit },
      );
    },

    async count(): Promise<{ active: number; inactive: number }> {
      const row = await queryOne<{ active: number; inactive: number }>(
        database,
        `select count(*) filter (where deactivated_at is null) as active, count(deactivated_at) as inactive
         from tenant_activity`,
      );
      return row ?? { active: 0, inactive: 0 };
    },
  };
}

export type TenantActivityStore = ReturnType<typeof createTenantActivityStore>;

function keyLists(tenants: readonly TenantKey[]) {
  return {
    tenants: tenants.map(({ tenant }) => tenant),
    providers: tenants.map(({ provider }) => provider),
    models: tenants.map(({ model }) => model),
    hashes: tenants.map(({ model_hash }) => model_hash),
    dimensions: tenants.map(({ dimensions }) => dimensions),
  };
}
