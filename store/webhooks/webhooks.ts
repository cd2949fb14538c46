import { MAX_COUNTED_DELIVERIES, type Webhook } from '#domain/records/webhook.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { mapPage, queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IS_WAITING } from './waiting-receivers.ts';

/** The fields that clients set. */
export type WebhookFields = Pick<
  Webhook,
  'url' | 'description' | 'events' | 'collections' | 'max_age_seconds' | 'batch_size' | 'status' | 'disabled_reason'
> & {
  origin: string;
};

type OptionalTime = 'previous_secret_expires_at' | 'failing_since' | 'next_attempt_at';
type Row = Omit<Webhook, 'secret' | 'created_at' | 'updated_at' | OptionalTime> &
  Record<OptionalTime, Date | null> & { created_at: Date; updated_at: Date; created_us: number };

/** The sealed secret of a workspace, which signs deliveries to the `webhook_url` of requests. */
export type SealedSecret = {
  sealed_secret: string;
  previous_secret_until: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** A receiver without an open circuit shows no failures. Each count ends at the maximum. */
const ofReceiver = (column: string) =>
  `(select ${column} from webhook_receivers f where f.id = w.id and f.state <> 'closed')`;
const COLUMNS = `w.id, w.workspace_id, w.url, w.description, w.events, w.collections, w.max_age_seconds, w.batch_size, w.status,
  w.disabled_reason, w.created_by, w.created_at, w.updated_at,
  case when w.previous_secret_until > now() then w.previous_secret_until end as previous_secret_expires_at,
  coalesce(${ofReceiver(`'failing'`)}, 'ok') as delivery_state,
  ${ofReceiver('f.failing_since')} as failing_since,
  (select f.next_attempt_at from webhook_receivers f where f.id = w.id and (f.state = 'open' or f.next_attempt_at > now()))
    as next_attempt_at,
  (select count(*) from (select from webhook_deliveries d where d.receiver_id = w.id and d.${IS_WAITING}
     limit ${MAX_COUNTED_DELIVERIES}) d)::int as pending_deliveries,
  (extract(epoch from w.created_at) * 1000000)::bigint as created_us`;

/** A caller whose access is limited to collections sees only webhooks limited to those. */
const IN_SCOPE = `w.workspace_id = :workspaceId
  and (:collectionIds::uuid[] is null or (w.collections is not null and w.collections <@ :collectionIds::uuid[]))`;

const SECRET_COLUMNS = `sealed_secret, created_at, updated_at,
  case when previous_secret_until > now() then previous_secret_until end as previous_secret_until`;

/** After a rotation the previous secret also signs for this long. */
const OVERLAP = `interval '24 hours'`;

/** The webhooks of a workspace, and the workspace's own signing secret. */
export function createWebhookStore(database: Database) {
  return {
    async insert(
      scope: Scope,
      webhook: WebhookFields & { id: string; sealedSecret: string; createdBy: string },
    ): Promise<Webhook> {
      const row = await queryOne<Row>(
        database,
        `insert into webhook_endpoints as w (id, workspace_id, url, origin, description, events, collections, max_age_seconds,
           batch_size, status, disabled_reason, sealed_secret, created_by)
         values (:id, :workspaceId, :url, :origin, :description, :events::text[], :collections::uuid[], :max_age_seconds,
           :batch_size, :status, :disabled_reason, :sealedSecret, :createdBy) returning ${COLUMNS}`,
        { ...scope, ...webhook },
      );
      if (!row) throw new Error('insert returned no row');
      return toWebhook(row);
    },

    /** Returns how many webhooks the workspace has. Concurrent callers wait until this transaction ends. */
    async countLocked(scope: Scope): Promise<number> {
      await query(database, `select pg_advisory_xact_lock(hashtextextended('webhooks/' || :workspaceId, 0))`, {
        ...scope,
      });
      const sql = `select count(*) as count from webhook_endpoints where workspace_id = :workspaceId`;
      return (await queryOne<{ count: number }>(database, sql, { ...scope }))?.count ?? 0;
    },

    /** Returns a webhook within the scope, or null. */
    async find(scope: Scope, id: string): Promise<Webhook | null> {
      const sql = `select ${COLUMNS} from webhook_endpoints w where ${IN_SCOPE} and w.id = :id`;
      const row = await queryOne<Row>(database, sql, { ...scope, id });
      return row && toWebhook(row);
    },

    /** Like `find`; locks the row for the transaction. */
    async lock(scope: Scope, id: string): Promise<Webhook | null> {
      const sql = `select ${COLUMNS} from webhook_endpoints w where ${IN_SCOPE} and w.id = :id for update`;
      const row = await queryOne<Row>(database, sql, { ...scope, id });
      return row && toWebhook(row);
    },

    /** Returns the URL of an active webhook, which stays until the transaction ends; null without such a webhook. */
    async lockUrl(scope: Scope, id: string): Promise<string | null> {
      const sql = `select url from webhook_endpoints
        where id = :id and workspace_id = :workspaceId and status = 'active' for key share`;
      return (await queryOne<{ url: string }>(database, sql, { id, workspaceId: scope.workspaceId }))?.url ?? null;
    },

    /** Updates a webhook. Waiting deliveries are sent to its new URL. Returns null when it is outside the scope. */
    async update(scope: Scope, id: string, fields: WebhookFields): Promise<Webhook | null> {
      const row = await queryOne<Row>(
        database,
        `update webhook_endpoints w set url = :url, origin = :origin, description = :description, events = :events::text[],
           collections = :collections::uuid[], max_age_seconds = :max_age_seconds, batch_size = :batch_size, status = :status,
           disabled_reason = :disabled_reason, updated_at = now()
         where ${IN_SCOPE} and w.id = :id returning ${COLUMNS}`,
        { ...scope, ...fields, id },
      );
      return row && toWebhook(row);
    },

    /** Sends nothing before all deliveries that are queued now have ended, in the background, as `failed`. */
    async dropQueued(scope: Scope, id: string): Promise<void> {
      const sql = `update webhook_endpoints set drop_before = now() where id = :id and workspace_id = :workspaceId`;
      await query(database, sql, { id, workspaceId: scope.workspaceId });
    },

    /** Gives a webhook a new secret; the previous one also signs for 24 hours. */
    async rotate(scope: Scope, id: string, sealedSecret: string): Promise<Webhook | null> {
      const row = await queryOne<Row>(
        database,
        `update webhook_endpoints w set previous_sealed_secret = sealed_secret, previous_secret_until = now() + ${OVERLAP},
           sealed_secret = :sealedSecret, updated_at = now()
         where ${IN_SCOPE} and w.id = :id returning ${COLUMNS}`,
        { ...scope, id, sealedSecret },
      );
      return row && toWebhook(row);
    },

    /** Returns false when the scope contains no such webhook. */
    async delete(scope: Scope, id: string): Promise<boolean> {
      const sql = `delete from webhook_endpoints w where ${IN_SCOPE} and w.id = :id returning w.id`;
      return (await queryOne(database, sql, { ...scope, id })) !== null;
    },

    /** Returns a page ordered by `(created_at, id)`. */
    async list(scope: Scope, { after, limit }: { after: TimePosition | null; limit: number }) {
      const list = `select ${COLUMNS}, ${rowBytes({})} from webhook_endpoints w where ${IN_SCOPE}
          and (:afterUs::bigint is null
            or (w.created_at, w.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by w.created_at, w.id`;
      const bindings = { ...scope, afterUs: after?.createdUs, afterId: after?.id };
      const page = await queryPage<Row>(database, { list, order: 'created_us, id', limit }, bindings);
      return mapPage(page, (row) => ({ webhook: toWebhook(row), createdUs: row.created_us }));
    },

    async count(scope: Scope): Promise<number> {
      const sql = `select count(*) as count from webhook_endpoints w where ${IN_SCOPE}`;
      return (await queryOne<{ count: number }>(database, sql, { ...scope }))?.count ?? 0;
    },

    /** Disables a webhook whose receiver answered 410. Returns false when it is disabled already or has another URL by now. */
    async disableGone(scope: Scope, { id, url }: { id: string; url: string }): Promise<boolean> {
      const row = await queryOne(
        database,
        `update webhook_endpoints set status = 'disabled', disabled_reason = 'gone', updated_at = now()
         where id = :id and workspace_id = :workspaceId and status = 'active' and url = :url returning id`,
        { ...scope, id, url },
      );
      return row !== null;
    },

    findSecret(scope: Scope): Promise<SealedSecret | null> {
      const sql = `select ${SECRET_COLUMNS} from webhook_secrets where workspace_id = :workspaceId`;
      return queryOne<SealedSecret>(database, sql, { ...scope });
    },

    /** Stores the first secret of the workspace; an existing one stays. */
    async insertSecret(scope: Scope, sealedSecret: string): Promise<void> {
      await query(
        database,
        `insert into webhook_secrets (workspace_id, sealed_secret) values (:workspaceId, :sealedSecret)
         on conflict do nothing`,
        { ...scope, sealedSecret },
      );
    },

    /** Replaces the secret of the workspace; the previous one also signs for 24 hours. */
    async rotateSecret(scope: Scope, sealedSecret: string): Promise<SealedSecret | null> {
      return queryOne<SealedSecret>(
        database,
        `insert into webhook_secrets as s (workspace_id, sealed_secret) values (:workspaceId, :sealedSecret)
         on conflict (workspace_id) do update set previous_sealed_secret = s.sealed_secret,
           previous_secret_until = now() + ${OVERLAP}, sealed_secret = excluded.sealed_secret, updated_at = now()
         returning ${SECRET_COLUMNS}`,
        { ...scope, sealedSecret },
      );
    },
  };
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

function toWebhook({ created_us: _createdUs, ...row }: Row): Webhook {
  return {
    ...row,
    secret: null,
    previous_secret_expires_at: row.previous_secret_expires_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
