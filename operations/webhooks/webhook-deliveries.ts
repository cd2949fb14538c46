import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import { AnyObject } from '#domain/records/fields.ts';
import type { WebhookDelivery, WebhookDeliveryDetail, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { Stores } from '#store/stores.ts';
import type { DeliveryRow } from '#store/webhooks/webhook-deliveries.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { paginate } from '#operations/paginate.ts';
import { sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { Services } from '#operations/services.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { requireEventPermission } from './webhook-access.ts';
import { probeSoon } from './probe-receiver.ts';
import type { WebhookServices } from './webhook-services.ts';

export type ListDeliveriesQuery = {
  webhook_id?: string | undefined;
  status?: string | undefined;
  event_type?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** Returns a page of the deliveries that the caller can see, newest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listWebhookDeliveries(
  services: Services,
  caller: Caller,
  query: ListDeliveriesQuery,
): Promise<WebhookDeliveryList> {
  const { webhook_id: webhookId, status, event_type: eventType } = query;
  const filter = { webhookId, status, eventType };
  const binding = { list: 'webhook-deliveries', filters: filter };
  const before = decodeTimeCursor(binding, query.cursor);
  const [rows, total] = await services.lists.read(({ webhookDeliveries }) =>
    Promise.all([
      webhookDeliveries.list(caller.scope, filter, { before, limit: query.limit }),
      webhookDeliveries.count(caller.scope, filter),
    ]),
  );
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.created_us, row.id] });
  return {
    data: page.map(toDelivery),
    total_count: total.count,
    total_is_exact: total.isExact,
    ...next,
  };
}

/** Returns a delivery with its payload. @throws AppError `not_found`, `forbidden` when the caller may not read events of its type. */
export async function getWebhookDelivery(
  services: Services,
  caller: Caller,
  id: string,
): Promise<WebhookDeliveryDetail> {
  const row = await findDelivery(services.stores, caller, id);
  requireEventPermission(caller, row.event_type);
  return { ...toDelivery(row), payload: AnyObject.parse(JSON.parse(row.body)) };
}

/**
 * Queues a finished delivery again, with the same id and bytes and a full set of attempts. A broken receiver is tried at once.
 * @throws AppError `not_found`, `forbidden` when the caller may not read events of its type, `conflict` while it is still being
 *   delivered, and when its webhook is deleted or disabled.
 */
export async function redeliverWebhook(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<WebhookDelivery>> {
  const { id, idempotency } = request;
  let wakeUps: readonly WakeUp[] = [];
  const answer = await withIdempotency(services, caller, {
    route: `POST /webhook-deliveries/${id}/redeliver`,
    idempotency,
    effect: async (stores) => {
      const before = await findDelivery(stores, caller, id);
      requireEventPermission(caller, before.event_type);
      if (!before.is_deliverable) {
        throw new AppError(
          'conflict',
          'The webhook of this delivery is deleted or disabled, so there is no URL to send it to.',
        );
      }
      wakeUps = await probeSoon(stores, caller.scope, before.receiver_id);
      if (!(await stores.webhookDeliveries.redeliver(caller.scope, id))) {
        throw new AppError('conflict', 'This delivery is still in progress. Redeliver it after it has ended.');
      }
      return { status: 202, body: toDelivery(await findDelivery(stores, caller, id)) };
    },
  });
  sendWakeUps(services, wakeUps);
  return answer;
}

export async function findDelivery(stores: Stores, caller: Caller, id: string): Promise<DeliveryRow> {
  const row = await stores.webhookDeliveries.find(caller.scope, id);
  if (!row) throw new AppError('not_found', 'There is no such delivery, or you have no access to it.');
  return row;
}

export function toDelivery(row: DeliveryRow): WebhookDelivery {
  const {
    body: _body,
    is_deliverable: _isDeliverable,
    created_us: _createdUs,
    receiver_id: _receiverId,
    ...rest
  } = row;
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

const PURGE_BATCH_SIZE = 5_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes a batch of deliveries that ended before the retention period of the log. Returns how many, 0 when none is left. */
export async function purgeWebhookDeliveries(services: WebhookServices): Promise<number> {
  await services.stores.webhookUpkeep.forgetIdle();
  return services.stores.webhookUpkeep.purge(services.webhooks.logRetentionDays * DAY_MS, PURGE_BATCH_SIZE);
}
