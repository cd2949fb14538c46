import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryTenant, parseSpace } from '#domain/memories/memory-index.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { CollectionTenant } from '#store/collections/collection-deletions.ts';
import { RECEIPT_COLUMNS, toDeletion, type ReceiptRow } from '#store/contents/deletions.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { WORKSPACE_ROWS, type CountedRows, type WorkspaceRows } from './workspace-rows.ts';

/** How much one transaction removes. */
export type WorkspaceRemoval = { rows: number; parts: number };

const OWN_WORKFLOW = 'deleteWorkspace';

/** The removal of everything that belongs to a workspace, in pieces of a size that hold nobody up. */
export function createWorkspaceDeletions(database: Database) {
  return {
    /** Status of the workspace, locked for the transaction; null when it is gone. */
    async lock(scope: Scope): Promise<'active' | 'deleting' | null> {
      const row = await queryOne<{ status: 'active' | 'deleting' }>(
        database,
        `select status from workspaces where id = :workspaceId for no key update`,
        { ...scope },
      );
      return row?.status ?? null;
    },

    /** From now on nobody reaches the workspace, and its keys are as unknown as if they had never been. */
    async begin(scope: Scope): Promise<void> {
      await query(
        database,
        `with hidden as (update workspaces set status = 'deleting', updated_at = now() where id = :workspaceId)
         delete from api_keys where workspace_id = :workspaceId`,
        { ...scope },
      );
    },

    /** The receipt of a workspace, which nobody who is in a workspace can ask for any more. */
    async findReceipt(id: string): Promise<Deletion | null> {
      const sql = `select ${RECEIPT_COLUMNS} from deletions where id = :id and kind = 'workspace'`;
      const row = await queryOne<ReceiptRow>(database, sql, { id });
      return row && toDeletion(row);
    },

    /** Acknowledged work of the workspace, but for its own removal. */
    work(scope: Scope, limit: number): Promise<{ id: number; workflow_id: string }[]> {
      return query(
        database,
        `select id, workflow_id from outbox where workspace_id = :workspaceId and workflow_type <> '${OWN_WORKFLOW}' order by id limit :limit`,
        { ...scope, limit },
      );
    },

    /** Takes work off the outbox, unless it was started anew under another id meanwhile. */
    async forgetWork(scope: Scope, workflowIds: readonly string[]): Promise<void> {
      await query(
        database,
        `delete from outbox where workspace_id = :workspaceId and workflow_id = any(:workflowIds::text[])`,
        { ...scope, workflowIds },
      );
    },

    /** Tenants of the workspace's collections that are not given up yet. */
    generations(scope: Scope, limit: number): Promise<CollectionTenant[]> {
      return query<CollectionTenant>(
        database,
        `select tenant, provider, model, model_hash, dimensions from index_generations where workspace_id = :workspaceId order by id limit :limit`,
        { ...scope, limit },
      );
    },

    /** Where memories of the workspace are, or were. */
    async memoryTenants(scope: Scope): Promise<CollectionTenant[]> {
      const rows = await query<{ space: string }>(
        database,
        `select distinct index_space as space from memory_versions where workspace_id = :workspaceId and index_space is not null
         union select distinct unnest(spaces) from memory_residues where workspace_id = :workspaceId`,
        { ...scope },
      );
      return rows.map(({ space }) => ({ tenant: memoryTenant(scope.workspaceId), ...parseSpace(space) }));
    },

    /**
     * Gives tenants up: they are dropped from now on, for a day, and how many objects they had is in the receipt, counted
     * once however often this runs.
     */
    giveUp(
      scope: Scope,
      deletionId: string,
      tenants: readonly (CollectionTenant & { objects: number })[],
    ): Promise<void> {
      return database.transaction(async (transaction) => {
        await query(
          transaction,
          `with given as (
             insert into dropped_tenants (workspace_id, tenant, provider, model, model_hash, dimensions)
             select :workspaceId::uuid, x.tenant, x.provider, x.model, x.model_hash, x.dimensions from ${TENANT_ROWS} on conflict do nothing
             returning tenant, provider, model, model_hash, dimensions
           )
           update deletions set status = 'running', index_objects = index_objects + (
             select coalesce(sum(x.objects), 0) from ${TENANT_ROWS} join given using (tenant, provider, model, model_hash, dimensions))::int
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

    /** Tenants that were given up, in the order of their names, behind one of them. */
    givenUp(scope: Scope, page: { after: CollectionTenant | null; limit: number }): Promise<CollectionTenant[]> {
      return query<CollectionTenant>(
        database,
        `select tenant, provider, model, model_hash, dimensions from dropped_tenants where workspace_id = :workspaceId
           and (:tenant::text is null or (tenant, provider, model, model_hash, dimensions) > (:tenant, :provider, :model, :modelHash, :dimensions::int))
         order by tenant, provider, model, model_hash, dimensions limit :limit`,
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

    /** In this order they are to be emptied. */
    tables: WORKSPACE_ROWS,

    /** Removes some rows of a table, and counts them; false when there is none. */
    removeRows(scope: Scope, deletionId: string, removal: { rows: WorkspaceRows; size: WorkspaceRemoval }) {
      return database.transaction((transaction) => removeSome(transaction, { scope, deletionId, ...removal }));
    },

    /** Removes some blobs with their bytes, under the locks of their rows; false when there is none. */
    removeBlobs(
      scope: Scope,
      deletionId: string,
      removal: { limit: number; deleteBytes: (hashes: readonly string[]) => Promise<void> },
    ): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const blobs = await query<{ sha256: string }>(
          transaction,
          `delete from blobs where workspace_id = :workspaceId and sha256 = any(array(
             select sha256 from blobs where workspace_id = :workspaceId order by sha256 limit :limit for update)) returning sha256`,
          { ...scope, limit: removal.limit },
        );
        if (blobs.length === 0) return false;
        await removal.deleteBytes(blobs.map(({ sha256 }) => sha256));
        await addToReceipt(transaction, { scope, deletionId, column: 'blobs', count: blobs.length });
        return true;
      });
    },

    /**
     * Removes the workspace itself and completes the receipt, in one transaction; false when it still has something. Its row is
     * locked against whoever is just adding to it.
     */
    complete(scope: Scope, deletionId: string): Promise<boolean> {
      return database.transaction(async (transaction) => {
        await query(transaction, `select from workspaces where id = :workspaceId for update`, { ...scope });
        const left = await queryOne<{ is_any: boolean }>(transaction, `select ${ANYTHING_LEFT} as is_any`, {
          ...scope,
        });
        if (left?.is_any !== false) return false;
        await query(transaction, `delete from workspaces where id = :workspaceId`, { ...scope });
        await query(
          transaction,
          `update deletions set status = 'completed', verified_at = now(), completed_at = now()
           where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
          { ...scope, deletionId },
        );
        return true;
      });
    },
  };
}

export type WorkspaceDeletions = ReturnType<typeof createWorkspaceDeletions>;

const TENANT_ROWS = `unnest(:tenants::text[], :providers::text[], :models::text[], :modelHashes::text[], :dimensions::int[], :objects::bigint[])
  as x(tenant, provider, model, model_hash, dimensions, objects)`;

function tenantBindings(tenants: readonly ({ tenant: string } & EmbeddingSpace)[]) {
  return {
    tenants: tenants.map((one) => one.tenant),
    providers: tenants.map((one) => one.provider),
    models: tenants.map((one) => one.model),
    modelHashes: tenants.map((one) => one.model_hash),
    dimensions: tenants.map((one) => one.dimensions),
  };
}

/** What has parts counts by itself: none of them is without it. */
const ANYTHING_LEFT = [
  ...WORKSPACE_ROWS.map((rows) => `exists (select from ${rows.table} whole where ${isRemovable(rows)})`),
  `exists (select from index_generations where workspace_id = :workspaceId)`,
  `exists (select from blobs where workspace_id = :workspaceId)`,
  `exists (select from outbox where workspace_id = :workspaceId and workflow_type <> '${OWN_WORKFLOW}')`,
].join(' or ');

function isRemovable({ unless }: WorkspaceRows): string {
  return `whole.workspace_id = :workspaceId${unless === undefined ? '' : ` and not (${unless})`}`;
}

type Removing = { scope: Scope; deletionId: string; size: WorkspaceRemoval; rows: WorkspaceRows };

/** Takes a page of rows: first their parts, as many as fit, then, when none is left, the rows. */
async function removeSome(transaction: Database, { scope, deletionId, size, rows }: Removing): Promise<boolean> {
  const { table, parts, counted } = rows;
  const page = await query<{ at: string }>(
    transaction,
    `select ctid::text as at from ${table} whole where ${isRemovable(rows)} limit :limit for update`,
    { ...scope, limit: parts === undefined ? size.parts : size.rows },
  );
  if (page.length === 0) return false;
  const at = page.map((row) => row.at);
  if (parts !== undefined) {
    const gone = await query(
      transaction,
      `delete from ${parts.table} where ctid = any(array(
         select part.ctid from ${table} whole join ${parts.table} part on ${parts.on} where whole.ctid = any(:at::tid[]) limit :limit)) returning 1`,
      { at, limit: size.parts },
    );
    if (parts.counted)
      await addToReceipt(transaction, { scope, deletionId, column: parts.counted, count: gone.length });
    if (gone.length === size.parts) return true;
  }
  const gone = await query(transaction, `delete from ${table} where ctid = any(:at::tid[]) returning 1`, { at });
  if (counted) await addToReceipt(transaction, { scope, deletionId, column: counted, count: gone.length });
  return true;
}

async function addToReceipt(
  transaction: Database,
  added: { scope: Scope; deletionId: string; column: CountedRows | 'blobs'; count: number },
): Promise<void> {
  const { scope, deletionId, column, count } = added;
  await query(
    transaction,
    `update deletions set status = 'running', ${column} = ${column} + :count::int
     where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
    { ...scope, deletionId, count },
  );
}
