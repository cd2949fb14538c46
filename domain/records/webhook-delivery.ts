import { z } from 'zod';
import { boundedListOf } from './cursor-list.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { AnyObject, CreatedAt, Id, IsoTime, UpdatedAt, WorkspaceId } from './fields.ts';

/** One attempt to send a delivery. It is recorded before it is sent. */
const WebhookAttempt = z
  .object({
    number: z.int().meta({ description: 'Number of the attempt, from 1.' }),
    started_at: IsoTime.meta({ description: 'Time at which the attempt started.' }),
    finished_at: IsoTime.nullable().meta({ description: 'Time at which the attempt ended; null while it is running.' }),
    status_code: z.int().nullable().meta({ description: 'HTTP status of the response; null when there was none.' }),
    error: z.string().nullable().meta({ description: 'Reason why there was no response.' }),
  })
  .meta({ id: 'WebhookAttempt' });

/** The delivery of one event to one receiver. */
export const WebhookDelivery = z
  .object({
    id: Id.meta({ description: 'Id of the delivery, sent as `webhook-id` with every attempt.' }),
    workspace_id: WorkspaceId,
    webhook_id: Id.nullable().meta({ description: 'Webhook; null for a delivery to the `webhook_url` of a request.' }),
    url: z.string().meta({ description: 'URL of the receiver, without its query, which may contain secrets.' }),
    event_type: z.enum(WEBHOOK_EVENT_TYPES).meta({ description: 'Type of the event that is delivered.' }),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`pending` before the first attempt has ended, `retrying` while more follow; `delivered` and `failed` are final.',
    }),
    status_message: z
      .string()
      .nullable()
      .meta({ description: 'Why the delivery failed or waits; null when there is nothing to say.' }),
    attempts: z.array(WebhookAttempt).meta({ description: 'The latest attempts, at most 50.' }),
    next_attempt_at: IsoTime.nullable().meta({ description: 'Time of the next attempt; null when there is none.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** A delivery with its payload. */
export const WebhookDeliveryDetail = WebhookDelivery.extend({
  payload: AnyObject.meta({ description: 'Body that is sent: `{type, timestamp, data}`.' }),
}).meta({ id: 'WebhookDeliveryDetail' });
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

export const WebhookDeliveryList = boundedListOf(WebhookDelivery).meta({ id: 'WebhookDeliveryList' });
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
