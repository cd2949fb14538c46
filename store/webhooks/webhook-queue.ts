import { randomUUID } from 'node:crypto';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IS_WAITING, waitingReceivers } from './waiting-receivers.ts';

/** A delivery that this process has leased and must send now. */
export type ClaimedDelivery = {
  id: string;
  workspace_id: string;
  receiver_id: string;
  endpoint_id: string | null;
  body: string;
  origin: string;
  /** The number of this attempt. It is the fence: a later claim has a higher one. */
  attempts: number;
  /** Attempts of this round that count, this one included unless it is a probe. */
  round_attempts: number;
  /** Time since the delivery was queued. */
  age_ms: number;
  max_age_seconds: number | null;
  /** Null when the webhook is deleted or disabled. */
  url: string | null;
  sealed_secret: string | null;
  /** The secret before the last rotation, while it still signs. */
  previous_sealed_secret: string | null;
};

export type ClaimLimits = {
  /** A claimed delivery cannot be claimed again for this long. */
  leaseMs: number;
  /** Deliveries to a receiver at the same time, if nothing is wrong with it. */
  maxSlots: number;
};

export type ClaimRequest = {
  maxCount: number;
  /** Deliveries that this process is sending, by workspace. */
  running: Readonly<Record<string, number>>;
  /** Most of them for one workspace. */
  maxOfWorkspace: number;
};

/** So many receivers of a workspace are looked at by a claim: twice as many as it has webhooks. */
const MAX_RECEIVERS_OF_WORKSPACE = 200;

const MILLISECOND = `interval '1 millisecond'`;

/** SQL condition: delivery `d` to webhook `e` is not being sent, and not too old. */
const IS_FREE = `d.${IS_WAITING} and (d.leased_until is null or d.leased_until <= now())
  and (e.max_age_seconds is null or d.queued_at > now() - e.max_age_seconds * interval '1 second')`;
const IS_DUE = `${IS_FREE} and d.due_at <= now()`;

/** SQL condition: webhook `e` of row `r`, if any, is active and ends no earlier deliveries, and its workspace is active. */
const IS_ACTIVE = (r: string) => `(${r}.endpoint_id is null or (e.status = 'active' and e.drop_before is null))
  and exists (select from workspaces o where o.id = ${r}.workspace_id and o.status = 'active')`;

/**
 * Ids as an array are looked up in the index, whatever the planner believes about their number: a join could scan the table.
 */
const IN = (source: string) => `= any(array(select id from ${source}))`;

/**
 * Statements that lease the rows of the statement `due` and record their attempts before anything is sent; they end in `sent`,
 * the claimed deliveries. An earlier attempt without an end belonged to a worker that died; it is closed with an error.
 */
const CLAIM_DUE = `
  taken as (
    update webhook_deliveries d set attempts = d.attempts + 1,
      round_attempts = d.round_attempts + case when :isProbe::boolean then 0 else 1 end,
      leased_until = now() + :leaseMs::bigint * ${MILLISECOND}, updated_at = now()
    where d.id ${IN('due')} returning d.*
  ), lost as (
    update webhook_attempts a set finished_at = clock_timestamp(), error = 'The worker ended before the answer was known.'
    where a.delivery_id ${IN('taken')} and a.finished_at is null
  ), noted as (
    insert into webhook_attempts (delivery_id, number, workspace_id, is_probe)
    select id, attempts, workspace_id, :isProbe::boolean from taken
  ), sent as (
    select t.id, t.workspace_id, t.receiver_id, t.endpoint_id, t.body, t.origin, t.attempts, t.round_attempts,
      (extract(epoch from now() - t.queued_at) * 1000)::bigint as age_ms, e.max_age_seconds,
      case when t.endpoint_id is null then t.url else e.url end as url,
      coalesce(e.sealed_secret, s.sealed_secret) as sealed_secret,
      case when e.previous_secret_until > now() then e.previous_sealed_secret when s.previous_secret_until > now()
        then s.previous_sealed_secret end as previous_sealed_secret
    from taken t
    left join webhook_endpoints e on e.id = t.endpoint_id and e.status = 'active'
    left join webhook_secrets s on s.workspace_id = t.workspace_id and t.endpoint_id is null
    order by t.due_at, t.id
  )`;

/** Processes claim one after the other, so that together they keep to the slots of a receiver. */
const LOCK_CLAIMS = `select pg_advisory_xact_lock(hashtextextended('webhook-claims', 0))`;

/** Claims deliveries that are due. Several workers may do so at the same time. */
export function createWebhookQueue(database: Database) {
  return {
    /**
     * Claims deliveries of all workspaces that are due, of each receiver the oldest, and as many as it has free slots. Receivers
     * with an open circuit are passed over. Workspaces take turns; one with many receivers has as many turns as one with few, and
     * of one with very many, only some are looked at.
     */
    async claimDue({ leaseMs, maxSlots }: ClaimLimits, request: ClaimRequest): Promise<ClaimedDelivery[]> {
      // Workers ask twice a second, and planning the claim takes twenty times as long as this.
      if (
        !(await queryOne(database, `select from webhook_deliveries where ${IS_WAITING} order by receiver_id limit 1`))
      )
        return [];
      const running = JSON.stringify(request.running);
      return database.transaction(async (transaction) => {
        await query(transaction, LOCK_CLAIMS);
        return query<ClaimedDelivery>(
          transaction,
          `with recursive ${waitingReceivers(MAX_RECEIVERS_OF_WORKSPACE)}, ready as (
             select r.receiver_id, r.workspace_id, r.endpoint_id, coalesce(f.slots, :maxSlots::int) - (
               select count(*) from webhook_deliveries l where l.receiver_id = r.receiver_id and l.leased_until > now()) as room
             from receivers r left join webhook_receivers f on f.id = r.receiver_id
             left join webhook_endpoints e on e.id = r.endpoint_id
             -- In the order of the index, however many of its deliveries are due later.
             cross join lateral (select from webhook_deliveries d where d.receiver_id = r.receiver_id and ${IS_DUE}
               order by d.due_at, d.id limit 1) first
             where (f.id is null or (f.state <> 'open' and coalesce(f.next_attempt_at <= now(), true)))
               and ${IS_ACTIVE('r')}
           ), turns as (
             select *, row_number() over (partition by workspace_id order by random()) * :maxSlots::int
               + coalesce((:running::jsonb ->> workspace_id::text)::int, 0) as place
             from ready where room > 0
           ), due as (
             select d.id from (select * from turns where place <= :maxOfWorkspace::int order by place, random()) r
             left join webhook_endpoints e on e.id = r.endpoint_id
             cross join lateral (
               select d.id from webhook_deliveries d where d.receiver_id = r.receiver_id and ${IS_DUE}
               order by d.due_at, d.id limit r.room for update of d skip locked) d limit :maxCount
           ), ${CLAIM_DUE} select * from sent`,
          { leaseMs, maxSlots, ...request, running, start: randomUUID(), isProbe: false },
        );
      });
    },

    /**
     * Claims the delivery that has waited longest for a receiver, as a probe of its open circuit: the attempt does not count.
     * The caller has locked the receiver. `busy_ms` is how long an attempt that runs may still take. `isWoken`: somebody asked
     * for a probe now, so a delivery that is due later will do.
     */
    async claimProbe(
      scope: Scope,
      receiverId: string,
      { leaseMs, isWoken }: Pick<ClaimLimits, 'leaseMs'> & { isWoken: boolean },
    ): Promise<{ probe: ClaimedDelivery | null; busy_ms: number }> {
      const busy = await queryOne<{ busy_ms: number }>(
        database,
        `select coalesce(extract(epoch from max(leased_until) - now()) * 1000, 0)::bigint as busy_ms
         from webhook_deliveries where receiver_id = :receiverId and workspace_id = :workspaceId and leased_until > now()`,
        { receiverId, workspaceId: scope.workspaceId },
      );
      if (busy !== null && busy.busy_ms > 0) return { probe: null, busy_ms: busy.busy_ms };
      const probe = await queryOne<ClaimedDelivery>(
        database,
        `with due as (
           select d.id from webhook_deliveries d left join webhook_endpoints e on e.id = d.endpoint_id
           where d.receiver_id = :receiverId and d.workspace_id = :workspaceId and ${IS_FREE} and ${IS_ACTIVE('d')}
             and (d.due_at <= now() or :isWoken::boolean)
           order by d.due_at, d.id limit 1 for update of d skip locked
         ), ${CLAIM_DUE} select * from sent`,
        { receiverId, workspaceId: scope.workspaceId, leaseMs, isWoken, isProbe: true },
      );
      return { probe, busy_ms: 0 };
    },
  };
}

export type WebhookQueue = ReturnType<typeof createWebhookQueue>;
