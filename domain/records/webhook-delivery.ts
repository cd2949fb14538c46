import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { AnyObject, Id, IsoTime } from './fields.ts';

/** One send, written down before it happens. */
const WebhookAttempt = z
  .object({
    number: z.int(),
    started_at: IsoTime,
    finished_at: IsoTime.nullable().meta({ description: 'null while it is under way' }),
    status_code: z.int().nullable().meta({ description: 'Of the answer; null without' }),
    error: z.string().nullable().meta({ description: 'Why there was no answer' }),
  })
  .meta({ id: 'WebhookAttempt' });

/** One event on its way to one receiver. */
export const WebhookDelivery = z
  .object({
    id: Id.meta({ description: 'Also the `webhook-id` of every attempt' }),
    workspace_id: Id,
    webhook_id: Id.nullable().meta({ description: 'null for the `webhook_url` of a request' }),
    url: z.string().meta({ description: 'Without its query, which may carry secrets' }),
    event_type: z.enum(WEBHOOK_EVENT_TYPES),
    status: z.enum(DELIVERY_STATUSES),
    status_message: z.string().nullable(),
    attempts: z.array(WebhookAttempt).meta({ description: 'The last ones, at most 50' }),
    next_attempt_at: IsoTime.nullable(),
    created_at: IsoTime,
    updated_at: IsoTime,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** With what is sent. */
export const WebhookDeliveryDetail = WebhookDelivery.extend({
  payload: AnyObject.meta({ description: '`{type, timestamp, data}`' }),
}).meta({ id: 'WebhookDeliveryDetail' });
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

export const WebhookDeliveryList = cursorListOf(WebhookDelivery).meta({ id: 'WebhookDeliveryList' });
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
