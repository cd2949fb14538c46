import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryTenant, parseSpace } from '#domain/memories/memory-index.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { CollectionTenant } from '#store/collections/collection-deletions.ts';
import { query, type Database } from '#store/postgres.ts';

type CountedTenant = CollectionTenant & { objects: number };

const TENANT_KEY = 'tenant, provider, model, model_hash, dimensions';
const TENANT_ROWS = `unnest(
    :tenants::text[], :providers::text[], :models::text[], :modelHashes::text[], :dimensions::int[], :objects::bigint[])
  as x(${TENANT_KEY}, objects)`;

/** Each step reads one entry of an index: the number of memories does not matter. */
const VERSION_SPACES = `with recursive version_spaces as (
    (select index_space as space from memory_versions where workspace_id = :workspaceId and index_space is not null
     order by index_space limit 1)
    union all
    select (select v.index_space from memory_versions v
      where v.workspace_id = :workspaceId and v.index_space > version_spaces.space order by v.index_space limit 1)
    from version_spaces where version_spaces.space is not null)`;

/** The index tenants of a workspace that is being deleted. */
export function createWorkspaceTenants(database: Database) {
  return {
    /** Returns tenants of collections that are not scheduled for dropping yet. */
    listCollectionTenants(scope: Scope, limit: number): Promise<CollectionTenant[]> {
      return query<CollectionTenant>(
        database,
        `select ${TENANT_KEY} from index_generations where workspace_id = :workspaceId order by id limit :limit`,
        { ...scope, limit },
      );
    },

    /** Returns every tenant that has, or had, memories of the workspace: one per embedding space. */
    async listMemoryTenants(scope: Scope): Promise<CollectionTenant[]> {
      const rows = await query<{ space: string }>(
        database,
        `${VERSION_SPACES} select space from version_spaces where space is not null
         union select distinct unnest(spaces) from memory_residues where workspace_id = :workspaceId`,
        { ...scope },
      );
      return rows.map(({ space }) => ({ tenant: memoryTenant(scope.workspaceId), ...parseSpace(space) }));
    },

    /** Returns the embedding spaces that have memories of the workspace. */
    async listMemorySpaces(scope: Scope): Promise<EmbeddingSpace[]> {
      const rows = await query<{ space: string }>(
        database,
        `${VERSION_SPACES} select space from version_spaces where space is not null`,
        { ...scope },
      );
      return rows.map(({ space }) => parseSpace(space));
    },

    /**
     * Schedules tenants for dropping, which is repeated for a day, and adds their objects to the receipt. A tenant is counted
     * once, however often this runs.
     */
    scheduleDrop(scope: Scope, deletionId: string, tenants: readonly CountedTenant[]): Promise<void> {
      return database.transaction(async (transaction) => {
        await query(
          transaction,
          `with added as (
             insert into dropped_tenants (workspace_id, ${TENANT_KEY})
             select :workspaceId::uuid, x.tenant, x.provider, x.model, x.model_hash, x.dimensions from ${TENANT_ROWS}
             on conflict do nothing returning ${TENANT_KEY}
           )
           update deletions set status = 'running', index_objects = index_objects + (
             select coalesce(sum(x.objects), 0) from ${TENANT_ROWS} join added using (${TENANT_KEY}))::int
           where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
          { ...scope, deletionId, ...tenantBindings(tenants), objects: tenants.map(({ objects }) => objects) },
        );
        await query(
          transaction,
          `delete from index_generations where workspace_id = :workspaceId and tenant = any(:names::text[])`,
          { ...scope, names: tenants.map(({ tenant }) => tenant) },
        );
      });
    },

    /** Returns a page of tenants that are scheduled for dropping, ordered by their key. */
    listScheduled(scope: Scope, page: { after: CollectionTenant | null; limit: number }): Promise<CollectionTenant[]> {
      return query<CollectionTenant>(
        database,
        `select ${TENANT_KEY} from dropped_tenants where workspace_id = :workspaceId
           and (:tenant::text is null
             or (${TENANT_KEY}) > (:tenant, :provider, :model, :modelHash, :dimensions::int))
         order by ${TENANT_KEY} limit :limit`,
        {
          ...scope,
          limit: page.limit,
          tenant: page.after?.tenant,
          provider: page.after?.provider,
          model: page.after?.model,
          modelHash: page.after?.model_hash,
          dimensions: page.after?.dimensions,
        },
      );
    },
  };
}

export type WorkspaceTenants = ReturnType<typeof createWorkspaceTenants>;

function tenantBindings(tenants: readonly ({ tenant: string } & EmbeddingSpace)[]) {
  return {
    tenants: tenants.map((one) => one.tenant),
    providers: tenants.map((one) => one.provider),
    models: tenants.map((one) => one.model),
    modelHashes: tenants.map((one) => one.model_hash),
    dimensions: tenants.map((one) => one.dimensions),
  };
}
