import { randomUUID } from 'node:crypto';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IS_WAITING, waitingReceivers } from './waiting-receivers.ts';

/** Why deliveries end without being delivered, and the status message of each reason. */
export type EndReason = 'deleted' | 'gone' | 'disabled' | 'max_age' | 'outage';
export type EndMessages = Readonly<Record<EndReason, string>>;

export type Overdue = {
  messages: EndMessages;
  /** Deliveries to a broken receiver end at this age. */
  maxOutageMs: number;
  maxCount: number;
};

export type WebhookBacklog = { failingReceivers: number; waitingDeliveries: number };

/** So many receivers of a workspace are looked at by a statement. */
const MAX_RECEIVERS_OF_WORKSPACE = 2_000;

const MILLISECOND = `interval '1 millisecond'`;

/** What the worker's loops do with deliveries of all workspaces, in small statements. Several workers may run each at once. */
export function createWebhookUpkeep(database: Database) {
  return {
    /**
     * Ends up to `maxCount` waiting deliveries as `failed`: those of deleted and disabled webhooks, and those that are too old.
     * Returns how many by reason.
     */
    endOverdue({ messages, maxOutageMs, maxCount }: Overdue): Promise<{ reason: EndReason; count: number }[]> {
      return query<{ reason: EndReason; count: number }>(
        database,
        `with recursive ${waitingReceivers(MAX_RECEIVERS_OF_WORKSPACE)}, limits as (
           select r.receiver_id, e.drop_before, now() - e.max_age_seconds * interval '1 second' as max_age_before,
             case when f.state = 'open' then now() - :maxOutageMs::bigint * ${MILLISECOND} end as outage_before,
             case when r.endpoint_id is null or e.status = 'active' then null when e.id is null then 'deleted'
               when e.disabled_reason = 'gone' then 'gone' else 'disabled' end as ending
           from receivers r left join webhook_endpoints e on e.id = r.endpoint_id
           left join webhook_receivers f on f.id = r.receiver_id
         ), overdue as (
           select d.id, coalesce(l.ending, case when d.queued_at <= l.drop_before then 'disabled'
             when d.queued_at <= l.max_age_before then 'max_age' else 'outage' end) as reason
           from limits l cross join lateral (
             select w.id, w.queued_at from webhook_deliveries w where w.receiver_id = l.receiver_id and w.${IS_WAITING}
               and w.queued_at <= case when l.ending is not null then 'infinity'
                 else greatest(l.drop_before, l.max_age_before, l.outage_before) end
               -- One that is being sent now may still arrive.
               and (w.leased_until is null or w.leased_until <= now())
             order by w.queued_at limit :maxCount for update skip locked) d limit :maxCount
         ), ended as (
           update webhook_deliveries d set status = 'failed', status_message = :messages::jsonb ->> overdue.reason,
             leased_until = null, updated_at = now()
           from overdue where d.id = overdue.id returning overdue.reason
         )
         select reason, count(*) as count from ended group by reason`,
        { maxOutageMs, maxCount, messages: JSON.stringify(messages), start: randomUUID() },
      );
    },

    /** Lets webhooks send again whose earlier deliveries have all ended. */
    async clearDropped(): Promise<void> {
      await query(
        database,
        `update webhook_endpoints e set drop_before = null where e.drop_before is not null and not exists (
           select from webhook_deliveries w
           where w.receiver_id = e.id and w.${IS_WAITING} and w.queued_at <= e.drop_before)`,
      );
    },

    /** Counts receivers with an open circuit, and waiting deliveries up to `maxCount`. */
    async backlog(maxCount: number): Promise<WebhookBacklog> {
      const row = await queryOne<WebhookBacklog>(
        database,
        `select (select count(*) from webhook_receivers where state = 'open') as "failingReceivers",
           (select count(*) from (select from webhook_deliveries where ${IS_WAITING} limit :maxCount) w) as "waitingDeliveries"`,
        { maxCount },
      );
      return row ?? { failingReceivers: 0, waitingDeliveries: 0 };
    },

    /** Deletes up to `maxCount` deliveries that ended longer ago than `olderThanMs`. Returns how many. */
    async purge(olderThanMs: number, maxCount: number): Promise<number> {
      const rows = await query(
        database,
        `delete from webhook_deliveries where id in (
           select id from webhook_deliveries
           where status in ('delivered', 'failed') and updated_at < now() - :olderThanMs::bigint * ${MILLISECOND}
           order by updated_at limit :maxCount for update skip locked) returning 1`,
        { olderThanMs, maxCount },
      );
      return rows.length;
    },

    /** Forgets receivers that had no attempt for a day, unless they are being probed. */
    async forgetIdle(): Promise<void> {
      await query(
        database,
        `delete from webhook_receivers where state <> 'open' and updated_at < now() - interval '1 day'`,
      );
    },
  };
}

export type WebhookUpkeep = ReturnType<typeof createWebhookUpkeep>;
