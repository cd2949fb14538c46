import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** A workflow that is to look at its rows now, and the request that says so. */
export type Wake = { workflow_id: string; wake_id: string };

/** Wake-ups that were acknowledged. A row lives from the transaction that changed what the workflow waits for until its signal is sent. */
export function createWakeStore(database: Database) {
  return {
    /** Notes that workflows are to be woken, in the transaction that gives them something to look at. */
    async add(scope: Scope, wakes: readonly Wake[]): Promise<void> {
      if (wakes.length === 0) return;
      await query(
        database,
        `insert into wakes (workflow_id, wake_id, workspace_id)
         select workflow_id, wake_id, :workspaceId from unnest(:workflowIds::text[], :wakeIds::uuid[]) as x(workflow_id, wake_id)
         order by workflow_id
         on conflict (workflow_id) do update set wake_id = excluded.wake_id, due_at = excluded.due_at`,
        { ...bind(wakes), workspaceId: scope.workspaceId },
      );
    },

    /** They were woken; what was asked for since stays. */
    async done(wakes: readonly Wake[]): Promise<void> {
      await query(
        database,
        `delete from wakes where workflow_id in (
           select w.workflow_id from wakes w join unnest(:workflowIds::text[], :wakeIds::uuid[]) as x(workflow_id, wake_id)
             on (w.workflow_id, w.wake_id) = (x.workflow_id, x.wake_id) order by w.workflow_id for update of w)`,
        bind(wakes),
      );
    },
  };
}

/** Wake-ups that whoever noted them did not send. Nobody else takes them for half a minute. */
export function takeDueWakes(database: Database, olderThanMs: number, limit: number): Promise<Wake[]> {
  return query<Wake>(
    database,
    `update wakes set due_at = now() + interval '30 seconds' where workflow_id in (
       select workflow_id from wakes where due_at < now() - :olderThanMs::bigint * interval '1 millisecond'
       order by due_at limit :limit for update skip locked) returning workflow_id, wake_id`,
    { olderThanMs, limit },
  );
}

function bind(wakes: readonly Wake[]) {
  return { workflowIds: wakes.map((wake) => wake.workflow_id), wakeIds: wakes.map((wake) => wake.wake_id) };
}

export type WakeStore = ReturnType<typeof createWakeStore>;
