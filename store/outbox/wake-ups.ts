import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** A request to signal a workflow that waits. `wake_id` identifies the request: a later one for the same workflow replaces it. */
export type WakeUp = { workflow_id: string; wake_id: string };

/**
 * Wake-ups (table `wakes`). A row is written in the transaction that changes what the workflow waits for, and deleted when its
 * signal is sent.
 */
export function createWakeUpStore(database: Database) {
  return {
    /** Adds wake-ups, in the transaction that changes what the workflows wait for. */
    async add(scope: Scope, wakeUps: readonly WakeUp[]): Promise<void> {
      if (wakeUps.length === 0) return;
      await query(
        database,
        `insert into wakes (workflow_id, wake_id, workspace_id)
         select workflow_id, wake_id, :workspaceId
         from unnest(:workflowIds::text[], :wakeIds::uuid[]) as x(workflow_id, wake_id)
         order by workflow_id
         on conflict (workflow_id) do update set wake_id = excluded.wake_id, due_at = excluded.due_at`,
        { ...bind(wakeUps), workspaceId: scope.workspaceId },
      );
    },

    /** Removes wake-ups whose signal was sent; one that was requested again meanwhile stays. */
    async remove(wakeUps: readonly WakeUp[]): Promise<void> {
      await query(
        database,
        `delete from wakes where workflow_id in (
           select w.workflow_id
           from wakes w join unnest(:workflowIds::text[], :wakeIds::uuid[]) as x(workflow_id, wake_id)
             on (w.workflow_id, w.wake_id) = (x.workflow_id, x.wake_id)
           order by w.workflow_id for update of w)`,
        bind(wakeUps),
      );
    },
  };
}

function bind(wakeUps: readonly WakeUp[]) {
  return {
    workflowIds: wakeUps.map(({ workflow_id: id }) => id),
    wakeIds: wakeUps.map(({ wake_id: id }) => id),
  };
}

export type WakeUpStore = ReturnType<typeof createWakeUpStore>;
