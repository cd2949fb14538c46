import type { ReceiverCircuit, CircuitDecision } from '#domain/webhooks/receiver-circuit.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A receiver with which something is wrong. `outage` identifies the workflow of an open circuit. */
export type ReceiverRow = ReceiverCircuit & { outage: number | null; failing_since: Date | null };

export type ReceiverChange = {
  id: string;
  next: CircuitDecision;
  /** The attempt that ended: a first failure in a row began with it. */
  attempt: { id: string; number: number };
};

const COLUMNS = `state, failures, last_failed_id, slots, outage, failing_since`;

/**
 * Circuits of receivers (`webhook_receivers`). A transaction locks the row of a receiver before deliveries to it; a webhook is
 * locked before both.
 */
export function createWebhookReceivers(database: Database) {
  return {
    /** Returns a receiver and locks its row; null when nothing is wrong with it. */
    lock(scope: Scope, id: string): Promise<ReceiverRow | null> {
      return queryOne<ReceiverRow>(
        database,
        `select ${COLUMNS} from webhook_receivers where id = :id and workspace_id = :workspaceId for update`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Like `lock`; adds the row, with this number of slots, when there is none. */
    async lockOrAdd(scope: Scope, id: string, slots: number): Promise<ReceiverRow | null> {
      // An existing row is locked by the same statement.
      return queryOne<ReceiverRow>(
        database,
        `insert into webhook_receivers as f (id, workspace_id, slots) values (:id, :workspaceId, :slots)
         on conflict (id) do update set updated_at = now() returning ${COLUMNS}`,
        { id, workspaceId: scope.workspaceId, slots },
      );
    },

    /** Stores what an attempt means for its receiver. Returns the id of the outage if the circuit is open. */
    async save(scope: Scope, { id, next, attempt }: ReceiverChange): Promise<number | null> {
      if (next.isForgotten) {
        await this.forget(scope, id);
        return null;
      }
      const row = await queryOne<{ outage: number | null }>(
        database,
        `update webhook_receivers set state = :state, failures = :failures, last_failed_id = :lastFailedId, slots = :slots,
           failing_since = case when :failures > 0 then coalesce(failing_since, (
             select started_at from webhook_attempts where delivery_id = :deliveryId and number = :number)) end,
           next_attempt_at = case when :keepsPause::boolean then next_attempt_at
             else now() + :pauseMs::bigint * interval '1 millisecond' end,
           outage = case when :state = 'open' then coalesce(outage, (extract(epoch from clock_timestamp()) * 1000)::bigint) end,
           updated_at = now()
         where id = :id and workspace_id = :workspaceId returning outage`,
        {
          id,
          workspaceId: scope.workspaceId,
          state: next.circuit.state,
          failures: next.circuit.failures,
          lastFailedId: next.circuit.last_failed_id,
          slots: next.circuit.slots,
          // A failure without a pause of its own, such as a late one, leaves the pause as it is.
          keepsPause: next.circuit.failures > 0 && next.pauseMs === null,
          pauseMs: next.pauseMs,
          deliveryId: attempt.id,
          number: attempt.number,
        },
      );
      return row?.outage ?? null;
    },

    /** Deletes the row: the receiver has another URL or none, or nothing is wrong with it any more. */
    async forget(scope: Scope, id: string): Promise<void> {
      const sql = `delete from webhook_receivers where id = :id and workspace_id = :workspaceId`;
      await query(database, sql, { id, workspaceId: scope.workspaceId });
    },

    /** Returns the open circuit of an outage and locks its row; null when the outage has ended. */
    lockOutage(scope: Scope, outage: { receiver_id: string; outage: number }): Promise<{ wait_ms: number } | null> {
      return queryOne<{ wait_ms: number }>(
        database,
        `select greatest(0, extract(epoch from next_attempt_at - now()) * 1000)::bigint as wait_ms from webhook_receivers
         where id = :receiver_id and workspace_id = :workspaceId and state = 'open' and outage = :outage for update`,
        { ...outage, workspaceId: scope.workspaceId },
      );
    },

    /** Half-opens the circuit of an outage while nothing waits for the receiver: its next delivery is sent at once. */
    async halfOpen(scope: Scope, { receiver_id: id }: { receiver_id: string }): Promise<void> {
      await query(
        database,
        `update webhook_receivers set state = 'half_open', outage = null, next_attempt_at = null, updated_at = now()
         where id = :id and workspace_id = :workspaceId and state = 'open'`,
        { id, workspaceId: scope.workspaceId },
      );
    },

    /** Sends nothing to a receiver for this long, with whom nothing needs to be wrong. `slots` are those of a new row. */
    async postpone(scope: Scope, id: string, { pauseMs, slots }: { pauseMs: number; slots: number }): Promise<void> {
      await query(
        database,
        `insert into webhook_receivers as f (id, workspace_id, slots, next_attempt_at)
         values (:id, :workspaceId, :slots, now() + :pauseMs::bigint * interval '1 millisecond')
         on conflict (id) do update set updated_at = now(),
           next_attempt_at = greatest(f.next_attempt_at, excluded.next_attempt_at)`,
        { id, workspaceId: scope.workspaceId, slots, pauseMs },
      );
    },

    /** Ends the pause of a receiver. Returns the outage if its circuit is open, so that its workflow has to be woken. */
    async endPause(scope: Scope, id: string): Promise<number | null> {
      const sql = `update webhook_receivers set next_attempt_at = now() where id = :id and workspace_id = :workspaceId
        returning outage`;
      const row = await queryOne<{ outage: number | null }>(database, sql, { id, workspaceId: scope.workspaceId });
      return row?.outage ?? null;
    },
  };
}

export type WebhookReceivers = ReturnType<typeof createWebhookReceivers>;
