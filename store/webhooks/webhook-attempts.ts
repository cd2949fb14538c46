import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IS_WAITING } from './waiting-receivers.ts';

export type AttemptResult = {
  id: string;
  number: number;
  statusCode: number | null;
  error: string | null;
  status: 'delivered' | 'failed' | 'retrying';
  message: string | null;
  waitMs: number;
  /** The attempt failed for a reason that concerns the receiver and not this message. */
  isUnhealthy: boolean;
  /** A probe was answered, so it counts like any other attempt. */
  isAnsweredProbe: boolean;
};

/** The place in the line of a delivery that is about to be sent to another URL, with a full set of attempts. */
const AT_NEW_URL = `due_at = queued_at, unhealthy_at = null, round_attempts = 0, leased_until = null, updated_at = now()`;

/** Records the results of attempts and ends deliveries. */
export function createWebhookAttempts(database: Database) {
  return {
    /**
     * Records the result of an attempt. A success always counts, even from a worker that lost its lease, and for a delivery that
     * was given up meanwhile; any other result only while this attempt is the latest. Returns false when it was not.
     */
    async finish(scope: Scope, result: AttemptResult): Promise<boolean> {
      const row = await queryOne(
        database,
        `with noted as (
           update webhook_attempts set finished_at = clock_timestamp(), status_code = :statusCode, error = :error
           where delivery_id = :id and number = :number and workspace_id = :workspaceId
         )
         update webhook_deliveries set status = :status, status_message = :message, leased_until = null, updated_at = now(),
           due_at = now() + :waitMs::bigint * interval '1 millisecond',
           round_attempts = round_attempts + case when :isAnsweredProbe::boolean then 1 else 0 end,
           unhealthy_at = case when :isUnhealthy::boolean then clock_timestamp() end
         where id = :id and workspace_id = :workspaceId
           and ((${IS_WAITING} and attempts = :number) or (:status = 'delivered' and status <> 'delivered')) returning id`,
        { ...result, workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /**
     * Records a failed attempt at a URL that its webhook no longer has: it does not count, and the delivery is due at once. Does
     * nothing to a delivery that has ended or was claimed again.
     */
    async finishAtOldUrl(
      scope: Scope,
      result: Pick<AttemptResult, 'id' | 'number' | 'statusCode' | 'error' | 'message'>,
    ): Promise<void> {
      await query(
        database,
        `with noted as (
           update webhook_attempts set finished_at = clock_timestamp(), status_code = :statusCode, error = :error
           where delivery_id = :id and number = :number and workspace_id = :workspaceId
         )
         update webhook_deliveries set status = 'retrying', status_message = :message, ${AT_NEW_URL}
         where id = :id and workspace_id = :workspaceId and ${IS_WAITING} and attempts = :number`,
        { ...result, workspaceId: scope.workspaceId },
      );
    },

    /** Takes back a claim whose message was not sent: there was no attempt. */
    async release(scope: Scope, claim: { id: string; number: number; isProbe: boolean }): Promise<void> {
      await query(
        database,
        `with removed as (
           delete from webhook_attempts where delivery_id = :id and number = :number and workspace_id = :workspaceId
         )
         update webhook_deliveries set leased_until = null, updated_at = now(),
           round_attempts = greatest(0, round_attempts - case when :isProbe::boolean then 0 else 1 end)
         where id = :id and workspace_id = :workspaceId and ${IS_WAITING} and attempts = :number`,
        { ...claim, workspaceId: scope.workspaceId },
      );
    },

    /**
     * Makes up to `maxCount` deliveries of a webhook due that wait for another attempt, because its URL has changed; with
     * `changedAt`, only those unchanged since. Those that are being sent are left to `finishAtOldUrl`. Returns how many.
     */
    async requeue(
      scope: Scope,
      endpointId: string,
      { changedAt, maxCount }: { changedAt: Date | null; maxCount: number },
    ): Promise<number> {
      const rows = await query(
        database,
        `update webhook_deliveries set ${AT_NEW_URL} where id in (
           select id from webhook_deliveries
           where receiver_id = :endpointId and workspace_id = :workspaceId and ${IS_WAITING} and status = 'retrying'
             and (leased_until is null or leased_until <= now())
             and (:changedAt::timestamptz is null or updated_at < :changedAt)
           -- Those that were made due are last, so that a batch does not look at the ones before it again.
           order by due_at desc limit :maxCount for update skip locked) returning 1`,
        { endpointId, changedAt, maxCount, workspaceId: scope.workspaceId },
      );
      return rows.length;
    },

    /** Ends open deliveries of a webhook as `failed`: of other types than `types`, or of collections out of scope. */
    async endUnreadable(
      scope: Scope,
      endpointId: string,
      { types, message }: { types: readonly string[]; message: string },
    ): Promise<void> {
      await query(
        database,
        `update webhook_deliveries set status = 'failed', status_message = :message, leased_until = null, updated_at = now()
         where receiver_id = :endpointId and workspace_id = :workspaceId and ${IS_WAITING}
           and (event_type <> all(:types::text[]) or (:collectionIds::uuid[] is not null
             and (collections is null or not collections <@ :collectionIds::uuid[])))`,
        { ...scope, endpointId, types, message },
      );
    },

    /**
     * Puts deliveries back to their places in the line: those that failed since then, because their receiver was broken. These
     * failures no longer count. Returns the attempts of the delivery `currentId`, whose attempt ends now, that still count; null
     * when none of them was excused.
     */
    async returnToLine(
      scope: Scope,
      receiverId: string,
      { since, currentId = null }: { since: Date; currentId?: string | null },
    ): Promise<number | null> {
      const rows = await query<{ id: string; round_attempts: number }>(
        database,
        `with failed as (
           select d.id, (select count(*) from webhook_attempts a
             where a.delivery_id = d.id and a.finished_at >= :since and not a.is_probe) as failures
           from webhook_deliveries d
           where d.receiver_id = :receiverId and d.workspace_id = :workspaceId and d.status = 'retrying'
             and d.unhealthy_at >= :since
             and (d.leased_until is null or d.leased_until <= now() or d.id = :currentId) for update of d
         ), returned as (
           update webhook_deliveries d set due_at = d.queued_at, unhealthy_at = null,
             round_attempts = greatest(0, d.round_attempts - failed.failures)
           from failed where d.id = failed.id returning d.id, d.round_attempts
         ) select id, round_attempts from returned where id = :currentId`,
        { receiverId, workspaceId: scope.workspaceId, since, currentId },
      );
      return rows[0]?.round_attempts ?? null;
    },

    /**
     * Ends up to `maxCount` open deliveries to a receiver, or those older than `minAgeMs`, as `failed`, oldest first. Returns how
     * many; when there may be more, the caller leaves them to `endOverdue` or calls again.
     */
    async endOpen(
      scope: Scope,
      receiverId: string,
      ending: { message: string; maxCount: number; exceptId?: string; minAgeMs?: number },
    ): Promise<number> {
      const rows = await query(
        database,
        `update webhook_deliveries set status = 'failed', status_message = :message, leased_until = null, updated_at = now()
         where id in (
           select id from webhook_deliveries
           where receiver_id = :receiverId and workspace_id = :workspaceId and ${IS_WAITING}
             and (:exceptId::uuid is null or id <> :exceptId)
             and (:minAgeMs::bigint is null or queued_at < now() - :minAgeMs::bigint * interval '1 millisecond')
           order by queued_at limit :maxCount for update) returning 1`,
        { receiverId, ...ending, exceptId: ending.exceptId, minAgeMs: ending.minAgeMs, workspaceId: scope.workspaceId },
      );
      return rows.length;
    },
  };
}

export type WebhookAttempts = ReturnType<typeof createWebhookAttempts>;
