import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import type { ReceiverLimits } from './webhook-queue.ts';

export type AttemptResult = {
  id: string;
  number: number;
  origin: string;
  statusCode: number | null;
  error: string | null;
  status: 'delivered' | 'failed' | 'retrying';
  message: string | null;
  waitMs: number;
  /** Null when nothing was sent. */
  isReceiverHealthy: boolean | null;
};

/** Records the results of attempts and ends deliveries. */
export function createWebhookAttempts(database: Database) {
  return {
    /**
     * Records the result of an attempt and counts the failures of its receiver. A success always counts, even from a worker
     * that lost its lease; any other result only while this attempt is the latest. Returns false when it was not.
     */
    async finish(scope: Scope, result: AttemptResult, limits: ReceiverLimits): Promise<boolean> {
      const row = await queryOne(
        database,
        `with noted as (
           update webhook_attempts set finished_at = clock_timestamp(), status_code = :statusCode, error = :error
           where delivery_id = :id and number = :number and workspace_id = :workspaceId
         ), well as (
           delete from webhook_origins where :isReceiverHealthy::boolean and workspace_id = :workspaceId and origin = :origin
         ), unwell as (
           insert into webhook_origins as f (workspace_id, origin, failures)
           select :workspaceId, :origin, 1 where not :isReceiverHealthy::boolean
           on conflict (workspace_id, origin) do update set failures = f.failures + 1, updated_at = now(),
             open_until = case when f.failures + 1 >= :failuresBeforePause then now() +
               least(:pauseMs * power(2, least(f.failures + 1 - :failuresBeforePause, 20)), :maxPauseMs)
                 * interval '1 millisecond' end
         )
         update webhook_deliveries set status = :status, status_message = :message, leased_until = null, updated_at = now(),
           due_at = now() + :waitMs::bigint * interval '1 millisecond'
         where id = :id and workspace_id = :workspaceId and status in ('pending', 'retrying')
           and (attempts = :number or :status = 'delivered') returning id`,
        { ...limits, ...result, workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /** Ends the open deliveries of a webhook that is disabled or deleted as `failed`, all but `exceptId`. */
    async endOpen(scope: Scope, endpointId: string, ending: { message: string; exceptId?: string }): Promise<void> {
      await query(
        database,
        `update webhook_deliveries set status = 'failed', status_message = :message, leased_until = null, updated_at = now()
         where endpoint_id = :endpointId and workspace_id = :workspaceId and status in ('pending', 'retrying')
           and (:exceptId::uuid is null or id <> :exceptId)`,
        { endpointId, message: ending.message, exceptId: ending.exceptId, workspaceId: scope.workspaceId },
      );
    },

    /** Ends one delivery as `failed` after an operator has terminated its workflow. */
    async end(scope: Scope, delivery: { id: string; round: number }, message: string): Promise<void> {
      await query(
        database,
        `update webhook_deliveries set status = 'failed', status_message = :message, leased_until = null, updated_at = now()
         where id = :id and round = :round and workspace_id = :workspaceId and status = 'retrying'`,
        { ...delivery, message, workspaceId: scope.workspaceId },
      );
    },
  };
}

export type WebhookAttempts = ReturnType<typeof createWebhookAttempts>;
