import { query, type Database } from '#store/postgres.ts';
import { MS, ROOM, TAKE, type SendingRules, type TakenDelivery } from './webhook-attempts.ts';

/** What the worker does for the webhooks of all workspaces. */
export function createWebhookSystem(database: Database) {
  return {
    /**
     * Takes deliveries whose first attempt is due: of each receiver at most as many as it may be sent at once, so that no
     * backlog of one holds up another.
     */
    takeDue(rules: SendingRules, limit: number): Promise<TakenDelivery[]> {
      return query<TakenDelivery>(
        database,
        `with recursive origins as (
           -- From one origin to the next by the index, however many deliveries each has.
           (select d.workspace_id, d.origin from webhook_deliveries d where d.status = 'pending' order by 1, 2 limit 1)
           union all
           select n.workspace_id, n.origin from origins o cross join lateral (
             select d.workspace_id, d.origin from webhook_deliveries d
             where d.status = 'pending' and (d.workspace_id, d.origin) > (o.workspace_id, o.origin) order by 1, 2 limit 1) n
         ), room as (
           select o.workspace_id, o.origin, f.open_until > now() as is_open, ${ROOM} as room
           from origins o left join webhook_origins f on f.workspace_id = o.workspace_id and f.origin = o.origin
         ), due as (
           select d.id from (select * from room where room > 0 order by random()) r cross join lateral (
             select d.id from webhook_deliveries d where d.status = 'pending' and d.workspace_id = r.workspace_id and d.origin = r.origin
               and d.due_at <= now() - case when r.is_open then :patienceMs::bigint else 0 end * ${MS}
               and (d.leased_until is null or d.leased_until <= now())
             order by d.due_at limit r.room for update skip locked) d limit :limit
         ), ${TAKE} select * from sent`,
        { ...rules, limit },
      );
    },

    /** Deletes deliveries that have been over for so long, and forgets receivers that failed long ago. Returns how many went. */
    async purge(olderThanMs: number, limit: number): Promise<number> {
      const rows = await query(
        database,
        `with forgotten as (
           delete from webhook_origins where updated_at < now() - interval '1 day'
         )
         delete from webhook_deliveries where id in (
           select id from webhook_deliveries where status in ('delivered', 'failed') and updated_at < now() - :olderThanMs::bigint * ${MS}
           order by updated_at limit :limit for update skip locked) returning id`,
        { olderThanMs, limit },
      );
      return rows.length;
    },
  };
}

export type WebhookSystem = ReturnType<typeof createWebhookSystem>;
