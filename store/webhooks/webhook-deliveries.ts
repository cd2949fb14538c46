import type { DeliveryStatus, WebhookEventType } from '#domain/webhooks/webhook-events.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { boundedCount, MAX_COUNTED, queryPage, rowBytes, type BoundedCount, type Page } from '#store/page.ts';
import { queryOne, type Database } from '#store/postgres.ts';

export type DeliveryRow = {
  id: string;
  workspace_id: string;
  webhook_id: string | null;
  receiver_id: string;
  url: string;
  event_type: WebhookEventType;
  status: DeliveryStatus;
  status_message: string | null;
  next_attempt_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** Times are texts, as Postgres writes them in JSON. */
  attempts: {
    number: number;
    started_at: string;
    finished_at: string | null;
    status_code: number | null;
    error: string | null;
  }[];
  /** Empty in lists. */
  body: string;
  /** False when its webhook is deleted or disabled. */
  is_deliverable: boolean;
  created_us: number;
};

export type DeliveryFilter = {
  webhookId?: string | undefined;
  status?: string | undefined;
  eventType?: string | undefined;
};

/** A caller whose access is limited to collections sees the deliveries of webhooks limited to those. */
const IN_SCOPE = `d.workspace_id = :workspaceId
  and (:collectionIds::uuid[] is null or (d.collections is not null and d.collections <@ :collectionIds::uuid[]))`;
const MATCHING = `(:webhookId::uuid is null or d.endpoint_id = :webhookId) and (:status::text is null or d.status = :status)
  and (:eventType::text is null or d.event_type = :eventType)`;

/** Lists select no bodies: a page of them could be tens of megabytes. */
const selectWith = (body: 'd.body' | `''`) => `
  select d.id, d.workspace_id, d.receiver_id, d.endpoint_id as webhook_id, coalesce(e.url, d.url, d.origin) as url,
    d.event_type, d.status, d.status_message,
    case when d.status in ('pending', 'retrying') then greatest(d.due_at, f.next_attempt_at) end as next_attempt_at,
    d.created_at, d.updated_at, ${body} as body,
    d.endpoint_id is null or coalesce(e.status = 'active', false) as is_deliverable,
    (extract(epoch from d.created_at) * 1000000)::bigint as created_us, a.attempts, ${rowBytes({ json: ['a.attempts'] })}
  from webhook_deliveries d left join webhook_endpoints e on e.id = d.endpoint_id
  left join webhook_receivers f on f.id = d.receiver_id
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('number', l.number, 'started_at', l.started_at,
      'finished_at', l.finished_at, 'status_code', l.status_code, 'error', l.error) order by l.number), '[]') as attempts
    from (select * from webhook_attempts where delivery_id = d.id order by number desc limit 50) l
  ) a`;

/** Reads the log of deliveries, and queues finished ones again. */
export function createWebhookDeliveries(database: Database) {
  return {
    /** Returns a delivery within the scope, or null. */
    find(scope: Scope, id: string): Promise<DeliveryRow | null> {
      return queryOne<DeliveryRow>(database, `${selectWith('d.body')} where ${IN_SCOPE} and d.id = :id`, {
        ...scope,
        id,
      });
    },

    /** Returns a page, newest first. */
    list(
      scope: Scope,
      filter: DeliveryFilter,
      { before, limit }: { before: TimePosition | null; limit: number },
    ): Promise<Page<DeliveryRow>> {
      const list = `${selectWith(`''`)} where ${IN_SCOPE} and ${MATCHING}
          and (:beforeUs::bigint is null
            or (d.created_at, d.id) < (to_timestamp(0) + :beforeUs * interval '1 microsecond', :beforeId::uuid))
        order by d.created_at desc, d.id desc`;
      const bindings = { ...bind(scope, filter), beforeUs: before?.createdUs, beforeId: before?.id };
      return queryPage<DeliveryRow>(database, { list, order: 'created_us desc, id desc', limit }, bindings);
    },

    /** Counts up to `MAX_COUNTED` deliveries. */
    async count(scope: Scope, filter: DeliveryFilter): Promise<BoundedCount> {
      const sql = `select count(*) as count from (
        select from webhook_deliveries d where ${IN_SCOPE} and ${MATCHING} limit ${MAX_COUNTED} + 1) d`;
      const row = await queryOne<{ count: number }>(database, sql, bind(scope, filter));
      return boundedCount(row?.count ?? 0, MAX_COUNTED);
    },

    /** Starts a new round of a finished delivery, with the same id and bytes. Returns false when it has not finished. */
    async redeliver(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update webhook_deliveries d set status = 'pending', status_message = null, round = round + 1, round_attempts = 0,
           due_at = now(), queued_at = now(), unhealthy_at = null, updated_at = now(),
           origin = coalesce((select e.origin from webhook_endpoints e where e.id = d.endpoint_id), d.origin)
         where ${IN_SCOPE} and d.id = :id and d.status in ('delivered', 'failed') returning d.id`,
        { ...scope, id },
      );
      return row !== null;
    },
  };
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;

function bind(scope: Scope, { webhookId, status, eventType }: DeliveryFilter) {
  return { ...scope, webhookId, status, eventType };
}
