import type { ExecutionContext } from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import { probeReceiver } from '#operations/webhooks/probe-receiver.ts';
import { getWebhook } from '#operations/webhooks/webhooks.ts';
import { answer, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { v7 as uuidv7 } from 'uuid';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { announceToUrl } from '#operations/webhooks/announce-event.ts';
import { newWebhookSecret } from '#operations/webhooks/webhook-secrets.ts';
import { receiverLimits, type WebhookServices } from '#operations/webhooks/webhook-services.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { WebhookFields } from '#store/webhooks/webhooks.ts';
import { createEgress } from '#security/egress/egress.ts';
import { query, type Database } from '#store/postgres.ts';
import { openOwnServices } from './own-services.ts';
import { DOWNLOAD_ADDRESS } from './stack.ts';

export const CLAIM_REQUEST = { maxCount: 10, running: {}, maxOfWorkspace: 100 };
const PLAIN_WEBHOOK = {
  description: null,
  events: null,
  collections: null,
  max_age_seconds: null,
  batch_size: 1,
  status: 'active' as const,
  disabled_reason: null,
};

/** Webhook services on a new database, with the production schedule of attempts. Only the test sends the deliveries. */
export async function openOwnSender(t: ExecutionContext, { timeoutMs = 60_000 } = {}) {
  const { services: operations, database, databaseUrl } = await openOwnServices(t, { temporal: 'away' });
  const services: WebhookServices = {
    ...operations,
    egress: createEgress({ allow: [DOWNLOAD_ADDRESS] }),
    webhooks: { attemptDelaysMs: WEBHOOK_ATTEMPT_DELAYS_MS, timeoutMs, logRetentionDays: 30 },
  };
  const scope = { workspaceId: await services.stores.system.insertWorkspace('sender'), collectionIds: null };
  const { stores } = services;
  return {
    services,
    database,
    databaseUrl,
    scope,
    limits: receiverLimits(services.webhooks),
    /** Claims deliveries that nobody sends. */
    claim: (maxCount = 10) =>
      stores.webhookQueue.claimDue(receiverLimits(services.webhooks), { ...CLAIM_REQUEST, maxCount }),
    /** Creates a webhook. Returns its id. */
    createWebhook: async (url: string, fields: Partial<WebhookFields> = {}, within: Scope = scope) => {
      const id = uuidv7();
      const sealedSecret = newWebhookSecret(services, within, { webhookId: id }).sealed;
      const { origin } = new URL(url);
      const webhook = { ...PLAIN_WEBHOOK, ...fields, id, url, origin, sealedSecret, createdBy: 'a test' };
      await stores.webhooks.insert(within, webhook);
      return id;
    },
    /** Queues numbered deliveries to a webhook, in order, in one statement. */
    queue: async (webhookId: string, count: number) => {
      await query(
        database,
        `insert into webhook_deliveries (workspace_id, endpoint_id, origin, event_type, body, due_at, queued_at)
         select workspace_id, id, origin, 'upload.completed', '{"type":"upload.completed","timestamp":"2026-01-01T00:00:00Z",'
           || '"data":{"number":' || number || '}}', line.at, line.at
         from webhook_endpoints, generate_series(1, :count::int) number, lateral (
           select now() - (:count::int - number) * interval '1 millisecond' as at) line
         where id = :webhookId order by number`,
        { webhookId, count },
      );
    },
    /** Sends due deliveries until none is due. */
    sendAll: async () => {
      const sender = createWebhookSender(services);
      while ((await sender.sendDue()) > 0) await sender.drain();
    },
    /** Creates and commits deliveries to a URL. Returns their ids. */
    announce: async (url: string, count = 1) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const event = { url, type: 'compress.completed' as const, data: { job_id: uuidv7() } };
        ids.push(await announceToUrl(services.stores, scope, event));
      }
      return ids;
    },
  };
}

/** How many deliveries have this status. */
export async function countDeliveries(database: Database, status: string): Promise<number> {
  const sql = 'select count(*) as count from webhook_deliveries where status = :status';
  return (await query<{ count: number }>(database, sql, { status }))[0]?.count ?? 0;
}

/** A webhook with so many waiting deliveries at a receiver that answers with `status`, which a test may change. */
export async function openReceiver(t: ExecutionContext, { count, status }: { count: number; status: number }) {
  const own = await openOwnSender(t);
  const state: { status: number; headers: Record<string, string> } = { status, headers: {} };
  const receiver = await startWebhookReceiver(t, (response, attempt) =>
    answer(state.status, state.headers)(response, attempt),
  );
  const webhookId = await own.createWebhook(receiver.origin);
  await own.queue(webhookId, count);
  const caller = administratorCaller(own.scope.workspaceId);
  return {
    ...own,
    state,
    receiver,
    webhookId,
    caller,
    jobs: () =>
      query<{ workflow_id: string; args: { outage: number } }>(own.database, 'select workflow_id, args from outbox'),
    /** Makes the step of the workflow, as if its pause were over. */
    probe: async ({ isWoken = false } = {}) => {
      await query(own.database, 'update webhook_receivers set next_attempt_at = now()');
      const [row] = await query<{ outage: number | null }>(own.database, 'select outage from webhook_receivers');
      const outage = { workspace_id: own.scope.workspaceId, receiver_id: webhookId, outage: row?.outage ?? 0 };
      return probeReceiver(own.services, { ...outage, is_woken: isWoken });
    },
    numbers: () => receiver.received.map(({ event }) => Number(event.data['number'])),
    show: () => getWebhook(own.services, caller, webhookId),
  };
}
