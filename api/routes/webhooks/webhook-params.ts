import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

/** Path parameters of the routes of one webhook, and of one delivery. */
export const WebhookParams = z.object({ webhook_id: Id });
export const DeliveryParams = z.object({ delivery_id: Id });
