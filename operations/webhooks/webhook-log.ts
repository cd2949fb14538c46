import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import { AnyObject } from '#domain/records/fields.ts';
import type { WebhookDelivery, WebhookDeliveryDetail, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { Stores } from '#store/stores.ts';
import type { DeliveryRow } from '#store/webhooks/webhook-deliveries.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { requireActive } from './change-webhook.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';
import { requireReadable, webhookNotFound } from './webhook-reach.ts';

export type ListDeliveriesQuery = {
  webhook_id?: string | undefined;
  status?: string | undefined;
  event_type?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** A page of the deliveries in reach, the newest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listDeliveries(
  services: Services,
  caller: Caller,
  query: ListDeliveriesQuery,
): Promise<WebhookDeliveryList> {
  const { webhook_id: webhookId, status, event_type: eventType } = query;
  const filter = { webhookId, status, eventType };
  const binding = { list: 'webhook-deliveries', filters: filter };
  const before = decodeTimeCursor(binding, query.cursor);
  const { webhookDeliveries } = services.stores;
  const [rows, totalCount] = await Promise.all([
    webhookDeliveries.list(caller.scope, filter, { before, limit: query.limit }),
    webhookDeliveries.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, { limit: query.limit, binding, positionOf: (row) => [row.created_us, row.id] });
  return {
    data: page.map(toDelivery),
    total_count: totalCount,
    ...next,
  };
}

/** A delivery with what is sent. @throws AppError `not_found`, `forbidden` for who may not read what it tells of. */
export async function getDelivery(services: Services, caller: Caller, id: string): Promise<WebhookDeliveryDetail> {
  const row = await findDelivery(services.stores, caller, id);
  requireReadable(caller, row.event_type);
  return { ...toDelivery(row), payload: AnyObject.parse(JSON.parse(row.body)) };
}

/**
 * Sends a delivery that is over once more, with the same id and bytes, and with all its attempts if need be.
 * @throws AppError `not_found`, `conflict` while it is still being delivered, and when its webhook is gone or disabled.
 */
export async function redeliver(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<WebhookDelivery>> {
  const { id, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /webhook-deliveries/${id}/redeliver`,
    idempotency,
    effect: async (stores) => {
      const before = await findDelivery(stores, caller, id);
      if (!before.is_deliverable) {
        throw new AppError(
          'conflict',
          'The webhook of this delivery is deleted or disabled: there is nowhere to send it.',
        );
      }
      if (!(await stores.webhookDeliveries.redeliver(caller.scope, id))) {
        throw new AppError('conflict', 'This is still being delivered; it can be sent again when that is over.');
      }
      return { status: 202, body: toDelivery(await findDelivery(stores, caller, id)) };
    },
  });
}

/** Sends a test event to a webhook, whatever it is subscribed to. @throws AppError `not_found`, `conflict` for one that is disabled. */
export async function testWebhook(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<WebhookDelivery>> {
  const { id: webhookId, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /webhooks/${webhookId}/test`,
    idempotency,
    effect: async (stores) => {
      // Held, so that it is not deleted before it is told.
      const webhook = await stores.webhooks.lock(caller.scope, webhookId);
      if (!webhook) throw webhookNotFound();
      requireActive(webhook);
      const event = { webhookId, type: 'webhook.test' as const, data: { webhook_id: webhookId } };
      const id = await stores.webhookEvents.announceToWebhook(caller.scope, event);
      return { status: 202, body: toDelivery(await findDelivery(stores, caller, id)) };
    },
  });
}

async function findDelivery(stores: Stores, caller: Caller, id: string): Promise<DeliveryRow> {
  const row = await stores.webhookDeliveries.find(caller.scope, id);
  if (!row) throw new AppError('not_found', 'There is no such delivery, or you do not reach it.');
  return row;
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { body: _body, is_deliverable: _isDeliverable, created_us: _createdUs, ...rest } = row;
  return {
    ...rest,
    url: urlForDisplay(row.url),
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      started_at: isoTime(attempt.started_at),
      finished_at: attempt.finished_at === null ? null : isoTime(attempt.finished_at),
    })),
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function isoTime(text: string): string {
  return new Date(text).toISOString();
}
