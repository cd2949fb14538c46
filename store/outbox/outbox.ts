import type { JobStart } from '#domain/jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** Work that was acknowledged. A row lives from the transaction that acknowledges until the workflow has settled it. */
export function createOutboxStore(database: Database) {
  return {
    /** Adds a workflow to start, in the transaction that acknowledges it. */
    async add(scope: Scope, job: JobStart): Promise<void> {
      await query(
        database,
        `insert into outbox (workspace_id, workflow_type, workflow_id, task_queue, args, summary)
         values (:workspaceId, :workflow_type, :workflow_id, :task_queue, :args::jsonb, :summary)`,
        { ...job, workspaceId: scope.workspaceId, args: JSON.stringify(job.args) },
      );
    },

    /** The workflow runs; from now on the reconciler looks after it. */
    async markStarted(scope: Scope, workflowId: string): Promise<void> {
      await query(
        database,
        `update outbox set state = 'started', checked_at = now(), last_error = null
         where workspace_id = :workspaceId and workflow_id = :workflowId and state = 'pending'`,
        { workspaceId: scope.workspaceId, workflowId },
      );
    },

    /** Whether something is left to do for an upload. */
    async hasForUpload(scope: Scope, uploadId: string): Promise<boolean> {
      const rows = await query(
        database,
        `select from outbox where workspace_id = :workspaceId and args ->> 'upload_id' = :uploadId limit 1`,
        { workspaceId: scope.workspaceId, uploadId },
      );
      return rows.length > 0;
    },

    /** The same for work that an upload may wait for: which one, null for none. The second time there is nothing to settle. */
    async settleFor(scope: Scope, workflowId: string): Promise<{ uploadId: string | null }> {
      const [row] = await query<{ upload_id: string | null }>(
        database,
        `delete from outbox where workspace_id = :workspaceId and workflow_id = :workflowId returning args ->> 'upload_id' as upload_id`,
        { workspaceId: scope.workspaceId, workflowId },
      );
      return { uploadId: row?.upload_id ?? null };
    },

    /** The workflow has done what was acknowledged. True the first time. */
    async settle(scope: Scope, workflowId: string): Promise<boolean> {
      const rows = await query(
        database,
        `delete from outbox where workspace_id = :workspaceId and workflow_id = :workflowId returning id`,
        { workspaceId: scope.workspaceId, workflowId },
      );
      return rows.length > 0;
    },
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;
