import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A delivery that is to be sent now, with what it is sent with. */
export type TakenDelivery = {
  id: string;
  workspace_id: string;
  endpoint_id: string | null;
  event_type: string;
  body: string;
  origin: string;
  round: number;
  /** `pending` is a first attempt; what it comes to hands the delivery to a workflow. */
  status: 'pending' | 'retrying';
  /** The number of this attempt: the fence of whoever took it. */
  attempts: number;
  round_attempts: number;
  /** Null when its webhook is gone or disabled. */
  url: string | null;
  sealed_secret: string | null;
  /** The secret before, as long as it signs as well. */
  previous_sealed_secret: string | null;
};

/** Why a delivery could not be taken now. */
export type BusyDelivery = { round_attempts: number; waited_ms: number; busy_ms: number };

/** How much is sent to one receiver, and when it is left alone. */
export type SendingRules = {
  /** Nobody else takes a delivery for so long. */
  leaseMs: number;
  /** Sends to one origin at the same time. */
  atOncePerOrigin: number;
  /** So many failures in a row, and the origin gets one at a time, after a pause. */
  failuresToOpen: number;
  /** The first pause; each further failure doubles it, up to the longest. */
  pauseMs: number;
  longestPauseMs: number;
  /** A delivery that waits for an origin longer is sent in spite of the pause. */
  patienceMs: number;
};

export type AttemptResult = {
  id: string;
  number: number;
  origin: string;
  statusCode: number | null;
  error: string | null;
  status: 'delivered' | 'failed' | 'retrying';
  message: string | null;
  waitMs: number;
  /** Null where nothing was sent. */
  isReceiverWell: boolean | null;
};

export const MS = `interval '1 millisecond'`;

/** How many more may be sent to the origin of row `o` now; `f` is its row of `webhook_origins`. */
export const ROOM = `case when f.failures >= :failuresToOpen then 1 else :atOncePerOrigin::int end - (
  select count(*) from webhook_deliveries l where l.workspace_id = o.workspace_id and l.origin = o.origin and l.leased_until > now())`;

/** Leases the rows of \`due\` and writes down the attempts, before anything is sent. An attempt without an end was a worker's death. */
export const TAKE = `
  taken as (
    update webhook_deliveries d set attempts = d.attempts + 1, round_attempts = d.round_attempts + 1,
      leased_until = now() + :leaseMs::bigint * ${MS}, updated_at = now()
    from due where d.id = due.id returning d.*
  ), lost as (
    update webhook_attempts a set finished_at = clock_timestamp(), error = 'The worker ended before the answer was known.'
    from taken where a.delivery_id = taken.id and a.finished_at is null
  ), noted as (
    insert into webhook_attempts (delivery_id, number, workspace_id) select id, attempts, workspace_id from taken
  ), sent as (
    select t.id, t.workspace_id, t.endpoint_id, t.event_type, t.body, t.origin, t.round, t.status, t.attempts, t.round_attempts,
      case when t.endpoint_id is null then t.url else e.url end as url, coalesce(e.sealed_secret, s.sealed_secret) as sealed_secret,
      case when e.previous_secret_until > now() then e.previous_sealed_secret when s.previous_secret_until > now()
        then s.previous_sealed_secret end as previous_sealed_secret
    from taken t
    left join webhook_endpoints e on e.id = t.endpoint_id and e.status = 'active'
    left join webhook_secrets s on s.workspace_id = t.workspace_id and t.endpoint_id is null
  )`;

/** What sends deliveries. Every statement may run in several workers at once. */
export function createWebhookAttempts(database: Database) {
  return {
    /** Takes one whose time has come, for its workflow; null when there is nothing to do for this round any more. */
    async take(
      scope: Scope,
      delivery: { id: string; round: number },
      rules: SendingRules,
    ): Promise<TakenDelivery | BusyDelivery | null> {
      const row = await queryOne<TakenDelivery & BusyDelivery & { is_taken: boolean }>(
        database,
        `with target as (
           select o.id, o.round_attempts as made, o.due_at,
             greatest(o.leased_until, case when o.due_at > now() - :patienceMs::bigint * ${MS} then f.open_until end) as busy_until, ${ROOM} as room
           from webhook_deliveries o left join webhook_origins f on f.workspace_id = o.workspace_id and f.origin = o.origin
           where o.id = :id and o.workspace_id = :workspaceId and o.round = :round and o.status = 'retrying' for update of o
         ), due as (
           select id from target where (busy_until is null or busy_until <= now()) and room > 0
         ), ${TAKE}
         select sent.*, sent.id is not null as is_taken, coalesce(sent.round_attempts, target.made) as round_attempts,
           (extract(epoch from now() - target.due_at) * 1000)::bigint as waited_ms,
           greatest(0, (extract(epoch from target.busy_until - now()) * 1000)::bigint) as busy_ms
         from target left join sent on true`,
        { ...rules, ...delivery, workspaceId: scope.workspaceId },
      );
      if (!row) return null;
      const { is_taken: isTaken, waited_ms, busy_ms, ...taken } = row;
      return isTaken ? taken : { round_attempts: taken.round_attempts, waited_ms, busy_ms: busy_ms ?? 0 };
    },

    /**
     * Writes down what came of an attempt. A success counts whoever comes with it; for anything else the delivery must still be
     * that of this attempt. False when it was not.
     */
    async finish(scope: Scope, result: AttemptResult, rules: SendingRules): Promise<boolean> {
      const row = await queryOne(
        database,
        `with noted as (
           update webhook_attempts set finished_at = clock_timestamp(), status_code = :statusCode, error = :error
           where delivery_id = :id and number = :number and workspace_id = :workspaceId
         ), well as (
           delete from webhook_origins where :isReceiverWell::boolean and workspace_id = :workspaceId and origin = :origin
         ), unwell as (
           insert into webhook_origins as f (workspace_id, origin, failures)
           select :workspaceId, :origin, 1 where not :isReceiverWell::boolean
           on conflict (workspace_id, origin) do update set failures = f.failures + 1, updated_at = now(),
             open_until = case when f.failures + 1 >= :failuresToOpen then now() +
               least(:pauseMs * power(2, least(f.failures + 1 - :failuresToOpen, 20)), :longestPauseMs) * ${MS} end
         )
         update webhook_deliveries set status = :status, status_message = :message, leased_until = null, updated_at = now(),
           due_at = now() + :waitMs::bigint * ${MS}
         where id = :id and workspace_id = :workspaceId and status in ('pending', 'retrying')
           and (attempts = :number or :status = 'delivered') returning id`,
        { ...rules, ...result, workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /** Ends what is still to be sent to a webhook that is disabled or deleted. */
    async endOpen(scope: Scope, endpointId: string, ending: { message: string; butFor?: string }): Promise<void> {
      await query(
        database,
        `update webhook_deliveries set status = 'failed', status_message = :message, leased_until = null, updated_at = now()
         where endpoint_id = :endpointId and workspace_id = :workspaceId and status in ('pending', 'retrying')
           and (:butFor::uuid is null or id <> :butFor)`,
        { endpointId, message: ending.message, butFor: ending.butFor, workspaceId: scope.workspaceId },
      );
    },

    /** Ends one delivery whose workflow an operator has ended. */
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
