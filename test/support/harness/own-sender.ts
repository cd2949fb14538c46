import type { ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { announceToUrl } from '#operations/webhooks/announce-event.ts';
import { receiverLimits, type WebhookServices } from '#operations/webhooks/attempt-delivery.ts';
import { createEgress } from '#security/egress/egress.ts';
import { query, type Database } from '#store/postgres.ts';
import { openOwnServices } from './own-services.ts';
import { DOWNLOAD_ADDRESS } from './stack.ts';

/** Webhook services on a new database, with the production schedule of attempts. Only the test sends the deliveries. */
export async function openOwnSender(t: ExecutionContext, { timeoutMs = 60_000 } = {}) {
  const { services: operations, database } = await openOwnServices(t, { temporal: 'away' });
  const services: WebhookServices = {
    ...operations,
    egress: createEgress({ allow: [DOWNLOAD_ADDRESS] }),
    webhooks: { attemptDelaysMs: WEBHOOK_ATTEMPT_DELAYS_MS, timeoutMs, logRetentionDays: 30 },
  };
  const scope = { workspaceId: await services.stores.system.insertWorkspace('sender'), collectionIds: null };
  return {
    services,
    database,
    scope,
    limits: receiverLimits(services.webhooks),
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
