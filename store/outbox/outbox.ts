import type { JobStart } from '#domain/jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import { currentTraceParent } from '#observability/current-trace.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/**
 * Requests to start a workflow. A row is written in the transaction that acknowledges the work, and deleted when its workflow
 * has completed. The loops that serve all workspaces use `outbox-system.ts`.
 */
export function createOutboxStore(database: Database) {
  return {
    /**
     * Adds workflows to start, in one statement and in this order, in the transaction that acknowledges them, with the trace of
     * the request.
     */
    async add(scope: Scope, jobs: readonly JobStart[]): Promise<void> {
      if (jobs.length === 0) return;
      await query(
        database,
        `insert into outbox (workspace_id, workflow_type, workflow_id, task_queue, args, summary, memo, trace_parent)
         select :workspaceId::uuid, x.workflow_type, x.workflow_id, x.task_queue, x.args::jsonb, x.summary, x.memo::jsonb,
           :traceParent
         from unnest(:types::text[], :ids::text[], :queues::text[], :args::text[], :summaries::text[], :memos::text[])
           with ordinality as x(workflow_type, workflow_id, task_queue, args, summary, memo, position)
         order by x.position`,
        {
          workspaceId: scope.workspaceId,
          types: jobs.map((job) => job.workflow_type),
          ids: jobs.map((job) => job.workflow_id),
          queues: jobs.map((job) => job.task_queue),
          args: jobs.map((job) => JSON.stringify(job.args)),
          summaries: jobs.map((job) => job.summary),
          traceParent: currentTraceParent(),
          memos: jobs.map((job) => (job.memo ? JSON.stringify(job.memo) : null)),
        },
      );
    },

    /** Records that the workflow is running; from now on the reconciler checks it. */
    async markStarted(scope: Scope, workflowId: string): Promise<void> {
      await query(
        database,
        `update outbox set state = 'started', checked_at = now(), last_error = null
         where workspace_id = :workspaceId and workflow_id = :workflowId and state = 'pending'`,
        { workspaceId: scope.workspaceId, workflowId },
      );
    },

    /**
     * Returns the id under which a workflow runs, or is about to: it gets another one (`/again-1`) when it is started again.
     * Null when it has completed.
     */
    async findWorkflowId(scope: Scope, firstId: string): Promise<string | null> {
      const row = await queryOne<{ workflow_id: string }>(
        database,
        `select workflow_id from outbox where workspace_id = :workspaceId
           and (workflow_id = :firstId or starts_with(workflow_id, :firstId || '/again-')) limit 1`,
        { workspaceId: scope.workspaceId, firstId },
      );
      return row?.workflow_id ?? null;
    },

    /** True while any workflow of an upload is not completed. */
    async hasForUpload(scope: Scope, uploadId: string): Promise<boolean> {
      const rows = await query(
        database,
        `select from outbox where workspace_id = :workspaceId and upload_id = :uploadId limit 1`,
        { workspaceId: scope.workspaceId, uploadId },
      );
      return rows.length > 0;
    },

    /**
     * Deletes the row of a workflow that has completed. Returns the upload that the work belonged to, if any; null when the
     * row was deleted before.
     */
    async complete(scope: Scope, workflowId: string): Promise<{ uploadId: string | null } | null> {
      const [row] = await query<{ upload_id: string | null }>(
        database,
        `delete from outbox where workspace_id = :workspaceId and workflow_id = :workflowId
         returning upload_id`,
        { workspaceId: scope.workspaceId, workflowId },
      );
      return row === undefined ? null : { uploadId: row.upload_id };
    },
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;
