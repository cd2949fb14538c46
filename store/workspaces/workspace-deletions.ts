import type { Deletion } from '#domain/records/deletion.ts';
import type { Scope } from '#domain/access/scope.ts';
import { DELETE_WORKSPACE } from '#domain/workspaces/workspace-deletion.ts';
import { RECEIPT_COLUMNS, toDeletion, type ReceiptRow } from '#store/contents/deletions.ts';
import { LIST_REMOVED } from '#store/blobs/blob-rows.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { WORKSPACE_TABLES, type CountedColumn, type WorkspaceTable } from './workspace-tables.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/** Most rows that one transaction removes, of a table and of its child table. */
export type RemovalPageSize = { rows: number; childRows: number };

/** The removal of everything in a workspace, in transactions small enough not to block others. */
export function createWorkspaceDeletions(database: Database) {
  return {
    /** Returns the status of the workspace and locks it for the transaction; null when it is gone. */
    async lock(scope: Scope): Promise<'active' | 'deleting' | null> {
      const row = await queryOne<{ status: 'active' | 'deleting' }>(
        database,
        `select status from workspaces where id = :workspaceId for no key update`,
        { ...scope },
      );
      return row?.status ?? null;
    },

    /**
     * Hides the workspace and deletes its API keys, which from now on are unknown keys, and the stored response of its creation,
     * which would name a workspace that is gone.
     */
    async begin(scope: Scope): Promise<void> {
      await query(
        database,
        `with hidden as (
           update workspaces set status = 'deleting', updated_at = now() where id = :workspaceId
         ), forgotten as (
           delete from idempotency_keys where workspace_id = :workspaceId and principal = 'administrator'
             and route = 'POST /workspaces'
         )
         delete from api_keys where workspace_id = :workspaceId`,
        { ...scope },
      );
    },

    /** Returns the receipt of a workspace deletion. It has no scope, because no caller belongs to the workspace any more. */
    async findReceipt(id: string): Promise<Deletion | null> {
      const sql = `select ${RECEIPT_COLUMNS} from deletions where id = :id and kind = 'workspace'`;
      const row = await queryOne<ReceiptRow>(database, sql, { id });
      return row && toDeletion(row);
    },

    /** Returns outbox rows of the workspace, except the one of its own deletion. */
    listWork(scope: Scope, limit: number): Promise<{ id: number; workflow_id: string }[]> {
      return query(
        database,
        `select id, workflow_id from outbox
         where workspace_id = :workspaceId and workflow_type <> '${DELETE_WORKSPACE}' order by id limit :limit`,
        { ...scope, limit },
      );
    },

    /** Deletes outbox rows by workflow id; a row that was restarted under another id meanwhile stays. */
    async deleteWork(scope: Scope, workflowIds: readonly string[]): Promise<void> {
      await query(
        database,
        `delete from outbox where workspace_id = :workspaceId and workflow_id = any(:workflowIds::text[])`,
        { ...scope, workflowIds },
      );
    },

    /** The tables to empty, in this order. */
    tables: WORKSPACE_TABLES,

    /**
     * Removes one page of rows of a table and counts them in the receipt. `empty`: the table has no rows left. `referenced`:
     * rows of the page are referred to by others, which a request that was accepted before the deletion has added meanwhile
     * to a table that was emptied, or to `index_generations`; nothing was removed.
     */
    async removeRows(
      scope: Scope,
      deletionId: string,
      removal: { table: WorkspaceTable; pageSize: RemovalPageSize },
    ): Promise<'removed' | 'empty' | 'referenced'> {
      const remove = (transaction: Database) => removePage(transaction, { scope, deletionId, ...removal });
      try {
        return (await database.transaction(remove)) ? 'removed' : 'empty';
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) return 'referenced';
        throw error;
      }
    },

    /** Removes the rows of some blobs, whose bytes are deleted afterwards; false when there is none left. */
    removeBlobs(scope: Scope, deletionId: string, limit: number): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const blobs = await query(
          transaction,
          `with gone as (
             delete from blobs where workspace_id = :workspaceId and sha256 = any(array(
               select sha256 from blobs where workspace_id = :workspaceId order by sha256 limit :limit for update))
             returning workspace_id, sha256, place, size_bytes, bytes is not null as has_bytes)
           ${LIST_REMOVED}`,
          { ...scope, limit },
        );
        if (blobs.length === 0) return false;
        await addToReceipt(transaction, { scope, deletionId, column: 'blobs', count: blobs.length });
        return true;
      });
    },

    /**
     * Deletes the workspace itself and completes the receipt, in one transaction; false when the workspace still has rows. The
     * row of the workspace is locked first, so that nothing is added meanwhile.
     */
    complete(scope: Scope, deletionId: string): Promise<boolean> {
      return database.transaction(async (transaction) => {
        await query(transaction, `select from workspaces where id = :workspaceId for update`, { ...scope });
        const left = await queryOne<{ is_any: boolean }>(transaction, `select ${HAS_ROWS} as is_any`, { ...scope });
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

/** Child tables need no check of their own, because their rows cannot exist without the parent row. */
const HAS_ROWS = [
  ...WORKSPACE_TABLES.map((table) => `exists (select from ${table.table} parent where ${isRemovable(table)})`),
  `exists (select from index_generations where workspace_id = :workspaceId)`,
  `exists (select from blobs where workspace_id = :workspaceId)`,
  `exists (select from blob_removals where workspace_id = :workspaceId and not is_repeated)`,
  `exists (select from outbox where workspace_id = :workspaceId and workflow_type <> '${DELETE_WORKSPACE}')`,
].join(' or ');

function isRemovable({ keepWhile }: WorkspaceTable): string {
  return `parent.workspace_id = :workspaceId${keepWhile === undefined ? '' : ` and not (${keepWhile})`}`;
}

type PageRemoval = { scope: Scope; deletionId: string; table: WorkspaceTable; pageSize: RemovalPageSize };

/** Removes the child rows of a page, up to the page size, and then, when none is left, the rows of the page. */
async function removePage(transaction: Database, removal: PageRemoval): Promise<boolean> {
  const { scope, deletionId, table, pageSize } = removal;
  const { children, counted } = table;
  const page = await query<{ ctid: string }>(
    transaction,
    `select ctid::text as ctid from ${table.table} parent where ${isRemovable(table)} limit :limit for update`,
    { ...scope, limit: children === undefined ? pageSize.childRows : pageSize.rows },
  );
  if (page.length === 0) return false;
  const ctids = page.map((row) => row.ctid);
  if (children !== undefined) {
    const removed = await query(
      transaction,
      `delete from ${children.table} where ctid = any(array(
         select child.ctid from ${table.table} parent join ${children.table} child on ${children.on}
         where parent.ctid = any(:ctids::tid[]) limit :limit)) returning 1`,
      { ctids, limit: pageSize.childRows },
    );
    if (children.counted) {
      await addToReceipt(transaction, { scope, deletionId, column: children.counted, count: removed.length });
    }
    if (removed.length === pageSize.childRows) return true;
  }
  const removed = await query(transaction, `delete from ${table.table} where ctid = any(:ctids::tid[]) returning 1`, {
    ctids,
  });
  if (counted) await addToReceipt(transaction, { scope, deletionId, column: counted, count: removed.length });
  return true;
}

async function addToReceipt(
  transaction: Database,
  added: { scope: Scope; deletionId: string; column: CountedColumn | 'blobs'; count: number },
): Promise<void> {
  const { scope, deletionId, column, count } = added;
  await query(
    transaction,
    `update deletions set status = 'running', ${column} = ${column} + :count::int
     where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
    { ...scope, deletionId, count },
  );
}
