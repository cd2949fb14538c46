import type { WebhookEvent, WebhookEventType } from '#domain/webhooks/webhook-events.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/**
 * SQL for the body of a delivery. It is built once, in the transaction of the event, and every attempt sends the same bytes.
 * `type` and `data` are SQL expressions; `data` is JSON.
 */
const bodyOf = (type: string, data: string) =>
  `'{"type":"' || ${type} || '","timestamp":"' || to_char(now() at time zone 'utc', :isoFormat)
     || '","data":' || (${data})::text || '}'`;

/** ISO 8601 for `to_char`. It is passed as a binding because its colons look like bindings. */
export const ISO_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

/** SQL condition: webhook `e` subscribes to events of this type in this collection (expressions; the collection may be null). */
const isSubscribed = (type: string, collectionId: string) =>
  `e.workspace_id = :workspaceId and e.status = 'active'
   and case when e.events is null then ${type} not like 'content.%' else ${type} = any(e.events) end
   and (e.collections is null or ${collectionId} is null or ${collectionId} = any(e.collections))`;

/** A message with several events ends before this many bytes, or with the event that passes it. */
const MAX_BATCH_BYTES = 60 * 1024;

/**
 * Returns the statement `announced` for a `with` query that changes contents. It inserts a delivery for each webhook that
 * subscribes to `type` and each row of `from`, or for each batch of rows if the webhook wants several events in a message.
 * `data` is the JSON expression of row `t`. Requires the bindings `:workspaceId`, `:collectionId` and `:isoFormat`.
 */
function announceContents(type: 'content.ready' | 'content.failed', from: string, data: string): string {
  const messages = bodyOf(`'${type}'`, `'{"events":[' || string_agg(message, ',' order by content_id) || ']}'`);
  return `told as (
    select e.id, e.origin, e.collections, e.batch_size, t.id as content_id, ${bodyOf(`'${type}'`, data)} as message
    from webhook_endpoints e cross join ${from} where ${isSubscribed(`'${type}'`, ':collectionId::uuid')}
  ), announced as (
    insert into webhook_deliveries (workspace_id, endpoint_id, origin, collections, event_type, body)
    (select :workspaceId::uuid, id, origin, collections, '${type}', message from told where batch_size = 1
      order by id, content_id)
    union all (
      select :workspaceId::uuid, id, min(origin), collections, '${type}', ${messages} from (
        select *, (row_number() over line - 1) / batch_size as batch,
          (sum(octet_length(message)) over line - octet_length(message)) / ${MAX_BATCH_BYTES} as part
        from told where batch_size > 1 window line as (partition by id order by content_id)) b
      group by id, collections, batch, part order by id, batch, part))`;
}

/** Announces the rows of the statement `mine`, which are published. */
export const ANNOUNCE_READY_CONTENTS = announceContents(
  'content.ready',
  'mine join contents t on t.id = mine.content_id',
  `json_build_object('content_id', t.id, 'collection_id', :collectionId::uuid, 'upload_id', mine.upload_id,
     'name', t.name, 'external_id', t.external_id, 'status', 'ready', 'chunks', mine.planned_chunks)`,
);

/** Announces the rows of the statement `failed`. */
export const ANNOUNCE_FAILED_CONTENTS = announceContents(
  'content.failed',
  'failed join contents t on t.id = failed.content_id',
  `json_build_object('content_id', t.id, 'collection_id', :collectionId::uuid, 'upload_id', failed.upload_id,
     'name', t.name, 'external_id', t.external_id, 'status', 'failed', 'code', failed.failure_code,
     'message', failed.stage_message)`,
);

/**
 * Inserts the deliveries of events, in the transaction that makes the events true: a rollback drops them, and a commit queues
 * them for every subscribed webhook. Each method is one statement, which costs almost nothing without subscribers.
 */
export function createWebhookEvents(database: Database) {
  return {
    /** Inserts a delivery for each event and each webhook of the workspace that subscribes to it. Returns how many. */
    async announce(scope: Scope, events: readonly WebhookEvent[]): Promise<number> {
      if (events.length === 0) return 0;
      const rows = events.map(({ type, data, collectionId }) => ({
        type,
        data: JSON.stringify(data),
        collection_id: collectionId ?? null,
      }));
      const inserted = await query(
        database,
        `insert into webhook_deliveries (workspace_id, endpoint_id, origin, collections, event_type, body)
         select e.workspace_id, e.id, e.origin, e.collections, x.type, ${bodyOf('x.type', 'x.data')}
         from jsonb_to_recordset(:rows::jsonb) as x(type text, data text, collection_id uuid)
         join webhook_endpoints e on ${isSubscribed('x.type', 'x.collection_id')} returning id`,
        { workspaceId: scope.workspaceId, isoFormat: ISO_FORMAT, rows: JSON.stringify(rows) },
      );
      return inserted.length;
    },

    /** Inserts a delivery to one webhook, whatever it subscribes to. Returns its id. */
    async announceToWebhook(
      scope: Scope,
      event: { webhookId: string; type: WebhookEventType; data: object },
    ): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into webhook_deliveries (workspace_id, endpoint_id, origin, collections, event_type, body)
         select e.workspace_id, e.id, e.origin, e.collections, :type, ${bodyOf(':type::text', ':data')}
         from webhook_endpoints e where e.id = :webhookId and e.workspace_id = :workspaceId returning id`,
        {
          workspaceId: scope.workspaceId,
          isoFormat: ISO_FORMAT,
          webhookId: event.webhookId,
          type: event.type,
          data: JSON.stringify(event.data),
        },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    /** Inserts a delivery to the URL that a request named. Returns its id. */
    async announceToUrl(
      scope: Scope,
      target: WebhookTarget & { type: WebhookEventType; data: object },
    ): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into webhook_deliveries (workspace_id, url, origin, event_type, body)
         select :workspaceId, :url, :origin, :type, ${bodyOf(':type::text', ':data::text')} returning id`,
        {
          workspaceId: scope.workspaceId,
          isoFormat: ISO_FORMAT,
          url: target.url,
          origin: target.origin,
          type: target.type,
          data: JSON.stringify(target.data),
        },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },
  };
}

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;
export type WebhookTarget = { url: string; origin: string };
