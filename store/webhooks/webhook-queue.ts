import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A delivery that this process has leased and must send now. */
export type ClaimedDelivery = {
  id: string;
  workspace_id: string;
  endpoint_id: string | null;
  event_type: string;
  body: string;
  origin: string;
  round: number;
  /** `pending` is a first attempt; if it fails, a workflow takes over the delivery. */
  status: 'pending' | 'retrying';
  /** The number of this attempt. It is the fence: a later claim has a higher one. */
  attempts: number;
  round_attempts: number;
  /** Null when the webhook is deleted or disabled. */
  url: string | null;
  sealed_secret: string | null;
  /** The secret before the last rotation, while it still signs. */
  previous_sealed_secret: string | null;
};

/** How long a delivery that cannot be claimed now has waited, and for how long its receiver stays busy. */
export type DeferredDelivery = { round_attempts: number; waited_ms: number; busy_ms: number };

/** Limits for one receiver (an origin within a workspace): concurrency, and pauses after repeated failures. */
export type ReceiverLimits = {
  /** A claimed delivery cannot be claimed again for this long. */
  leaseMs: number;
  /** Deliveries to one origin at the same time. */
  maxConcurrentPerOrigin: number;
  /** After so many failures in a row, the origin gets one delivery at a time, after a pause. */
  failuresBeforePause: number;
  /** The first pause; each further failure doubles it, up to `maxPauseMs`. */
  pauseMs: number;
  maxPauseMs: number;
  /** A delivery that has waited longer than this is sent in spite of the pause. */
  maxDeferralMs: number;
};

const MILLISECOND = `interval '1 millisecond'`;

/** How many more deliveries may be sent to the origin of row `o` now; `f` is its row of `webhook_origins`. */
const ORIGIN_CAPACITY = `case when f.failures >= :failuresBeforePause then 1 else :maxConcurrentPerOrigin::int end - (
  select count(*) from webhook_deliveries l
  where l.workspace_id = o.workspace_id and l.origin = o.origin and l.leased_until > now())`;

/**
 * Statements that lease the rows of the statement `due` and record their attempts before anything is sent; they end in `sent`,
 * the claimed deliveries. An earlier attempt without an end belonged to a worker that died; it is closed with an error.
 */
const CLAIM_DUE = `
  taken as (
    update webhook_deliveries d set attempts = d.attempts + 1, round_attempts = d.round_attempts + 1,
      leased_until = now() + :leaseMs::bigint * ${MILLISECOND}, updated_at = now()
    from due where d.id = due.id returning d.*
  ), lost as (
    update webhook_attempts a set finished_at = clock_timestamp(), error = 'The worker ended before the answer was known.'
    from taken where a.delivery_id = taken.id and a.finished_at is null
  ), noted as (
    insert into webhook_attempts (delivery_id, number, workspace_id) select id, attempts, workspace_id from taken
  ), sent as (
    select t.id, t.workspace_id, t.endpoint_id, t.event_type, t.body, t.origin, t.round, t.status, t.attempts, t.round_attempts,
      case when t.endpoint_id is null then t.url else e.url end as url,
      coalesce(e.sealed_secret, s.sealed_secret) as sealed_secret,
      case when e.previous_secret_until > now() then e.previous_sealed_secret when s.previous_secret_until > now()
        then s.previous_sealed_secret end as previous_sealed_secret
    from taken t
    left join webhook_endpoints e on e.id = t.endpoint_id and e.status = 'active'
    left join webhook_secrets s on s.workspace_id = t.workspace_id and t.endpoint_id is null
  )`;

/** Claims deliveries that are due and purges old ones. Several workers may run every statement at the same time. */
export function createWebhookQueue(database: Database) {
  return {
    /**
     * Claims one delivery for its workflow. Returns null when this round of it has nothing left to do, and a
     * `DeferredDelivery` while its receiver is at its limits.
     */
    async claim(
      scope: Scope,
      delivery: { id: string; round: number },
      limits: ReceiverLimits,
    ): Promise<ClaimedDelivery | DeferredDelivery | null> {
      const row = await queryOne<ClaimedDelivery & DeferredDelivery & { is_taken: boolean }>(
        database,
        `with target as (
           select o.id, o.round_attempts as made, o.due_at,
             greatest(o.leased_until,
               case when o.due_at > now() - :maxDeferralMs::bigint * ${MILLISECOND} then f.open_until end) as busy_until,
             ${ORIGIN_CAPACITY} as room
           from webhook_deliveries o left join webhook_origins f on f.workspace_id = o.workspace_id and f.origin = o.origin
           where o.id = :id and o.workspace_id = :workspaceId and o.round = :round and o.status = 'retrying' for update of o
         ), due as (
           select id from target where (busy_until is null or busy_until <= now()) and room > 0
         ), ${CLAIM_DUE}
         select sent.*, sent.id is not null as is_taken, coalesce(sent.round_attempts, target.made) as round_attempts,
           (extract(epoch from now() - target.due_at) * 1000)::bigint as waited_ms,
           greatest(0, (extract(epoch from target.busy_until - now()) * 1000)::bigint) as busy_ms
         from target left join sent on true`,
        { ...limits, ...delivery, workspaceId: scope.workspaceId },
      );
      if (!row) return null;
      const { is_taken: isClaimed, waited_ms, busy_ms, ...claimed } = row;
      return isClaimed ? claimed : { round_attempts: claimed.round_attempts, waited_ms, busy_ms: busy_ms ?? 0 };
    },

    /**
     * Claims deliveries of all workspaces whose first attempt is due: per receiver at most as many as its limits allow, so that
     * the backlog of one receiver does not delay the others.
     */
    claimDue(limits: ReceiverLimits, maxCount: number): Promise<ClaimedDelivery[]> {
      return query<ClaimedDelivery>(
        database,
        `with recursive origins as (
           -- Skips from one origin to the next by the index, however many deliveries each has.
           (select d.workspace_id, d.origin from webhook_deliveries d where d.status = 'pending' order by 1, 2 limit 1)
           union all
           select n.workspace_id, n.origin from origins o cross join lateral (
             select d.workspace_id, d.origin from webhook_deliveries d
             where d.status = 'pending' and (d.workspace_id, d.origin) > (o.workspace_id, o.origin) order by 1, 2 limit 1) n
         ), room as (
           select o.workspace_id, o.origin, f.open_until > now() as is_open, ${ORIGIN_CAPACITY} as room
           from origins o left join webhook_origins f on f.workspace_id = o.workspace_id and f.origin = o.origin
         ), due as (
           select d.id from (select * from room where room > 0 order by random()) r cross join lateral (
             select d.id from webhook_deliveries d
             where d.status = 'pending' and d.workspace_id = r.workspace_id and d.origin = r.origin
               and d.due_at <= now() - case when r.is_open then :maxDeferralMs::bigint else 0 end * ${MILLISECOND}
               and (d.leased_until is null or d.leased_until <= now())
             order by d.due_at limit r.room for update skip locked) d limit :maxCount
         ), ${CLAIM_DUE} select * from sent`,
        { ...limits, maxCount },
      );
    },

    /**
     * Deletes up to `maxCount` deliveries that ended longer ago than `olderThanMs`, and the failure counts of receivers without
     * a failure for a day. Returns how many deliveries it deleted.
     */
    async purge(olderThanMs: number, maxCount: number): Promise<number> {
      const rows = await query(
        database,
        `with forgotten as (
           delete from webhook_origins where updated_at < now() - interval '1 day'
         )
         delete from webhook_deliveries where id in (
           select id from webhook_deliveries
           where status in ('delivered', 'failed') and updated_at < now() - :olderThanMs::bigint * ${MILLISECOND}
           order by updated_at limit :maxCount for update skip locked) returning id`,
        { olderThanMs, maxCount },
      );
      return rows.length;
    },
  };
}

export type WebhookQueue = ReturnType<typeof createWebhookQueue>;
