import type { JobStart } from '#domain/jobs.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { workspaceTurns } from '#store/workspace-turns.ts';
import type { WakeUp } from './wake-ups.ts';

export type OutboxRow = JobStart & {
  id: number;
  attempts: number;
  /** W3C `traceparent` of the request; null where it was not traced. */
  trace_parent: string | null;
};

const OUTBOX_COLUMNS = `id, workspace_id, workflow_type, workflow_id, task_queue, args, summary, memo, attempts, trace_parent`;

const IS_PENDING = `v.state = 'pending'`;
const IS_DUE = `${IS_PENDING} and v.next_attempt_at <= now()`;
const TURNS = workspaceTurns({ table: 'outbox', isWaiting: IS_PENDING, isDue: IS_DUE, dueAt: 'next_attempt_at' });

/** What the loops do with outbox rows and wake-ups of all workspaces. */
export function createOutboxSystem(database: Database) {
  return {
    /**
     * Claims rows whose workflow is due to start. The claim lasts 30 seconds, however slow the starts are; after a crash the
     * next worker claims the rows again. Workspaces take turns, so that one with many workflows to start does not delay others.
     */
    claimDueStarts(limit: number): Promise<OutboxRow[]> {
      return query<OutboxRow>(
        database,
        `with recursive ${TURNS}, due as (
           select d.id from turns t cross join lateral (select * from (
             select v.id from outbox v where v.workspace_id = t.workspace_id and ${IS_DUE}
             order by v.next_attempt_at limit :limit for update of v skip locked) v limit t.share) d
         ) update outbox set attempts = attempts + 1, next_attempt_at = now() + interval '30 seconds'
         where id = any(array(select id from due)) returning ${OUTBOX_COLUMNS}`,
        { limit, maxWorkspaces: limit, except: [] },
      );
    },

    /**
     * Records that workflows are running. Rows that somebody else holds are about to be deleted, or are claimed by a loop, which
     * records the same.
     */
    async markAllStarted(workflowIds: readonly string[]): Promise<void> {
      await query(
        database,
        `update outbox set state = 'started', checked_at = now(), last_error = null where id in (
           select id from outbox where workflow_id = any(:workflowIds::text[]) and state = 'pending' for update skip locked)`,
        { workflowIds },
      );
    },

    /** Records a failed start; the next attempt follows after 1, 2, 4 … at most 30 seconds. */
    async recordStartFailure(id: number, message: string): Promise<void> {
      await query(
        database,
        `update outbox set last_error = :message,
           next_attempt_at = now() + least(power(2, least(attempts - 1, 5)), 30) * interval '1 second'
         where id = :id and state = 'pending'`,
        { id, message },
      );
    },

    /** Claims rows of started workflows that were last checked more than `olderThanMs` ago, oldest first. */
    claimUnchecked(olderThanMs: number, limit: number): Promise<OutboxRow[]> {
      return query<OutboxRow>(
        database,
        `update outbox set checked_at = now() where id in (
           select id from outbox
           where state = 'started' and checked_at < now() - :olderThanMs::bigint * interval '1 millisecond'
           order by checked_at limit :limit for update skip locked)
         returning ${OUTBOX_COLUMNS}`,
        { olderThanMs, limit },
      );
    },

    /** Returns a row to `pending`, under a new workflow id where the old one cannot be used again. False when the row is gone. */
    async restart(id: number, workflowId: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update outbox set state = 'pending', workflow_id = :workflowId, attempts = 0, next_attempt_at = now() where id = :id
         returning id`,
        { id, workflowId },
      );
      return row !== null;
    },

    /** Counts workflows that are not started yet, with the age of the oldest row; 0 when there is none. */
    async outboxBacklog(): Promise<{ rows: number; oldestAgeMs: number }> {
      const row = await queryOne<{ rows: number; age: number }>(
        database,
        `select count(*) as rows, coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::bigint as age
         from outbox where state = 'pending'`,
      );
      return { rows: row?.rows ?? 0, oldestAgeMs: row?.age ?? 0 };
    },

    /** Claims wake-ups that are still unsent after `olderThanMs`. The claim lasts 30 seconds. */
    claimDueWakeUps(olderThanMs: number, limit: number): Promise<WakeUp[]> {
      return query<WakeUp>(
        database,
        `update wakes set due_at = now() + interval '30 seconds' where workflow_id in (
           select workflow_id from wakes where due_at < now() - :olderThanMs::bigint * interval '1 millisecond'
           order by due_at limit :limit for update skip locked) returning workflow_id, wake_id`,
        { olderThanMs, limit },
      );
    },
  };
}
