import type { Schemas } from '../../api/schemas.ts';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';

type Delivery = Schemas['WebhookDelivery'];

/** Which deliveries are shown. By default all. */
export type DeliveryFilter = { status?: Delivery['status'] | undefined; event?: Delivery['event_type'] | undefined };

/** Reads the filter from the address of the page, or from fields. */
export function deliveryFilterOf({ status, event }: Record<string, unknown>): DeliveryFilter {
  return {
    ...(isKey(webhooksTexts.log.status, status) ? { status } : {}),
    ...(isKey(webhooksTexts.event, event) ? { event } : {}),
  };
}

function isKey<Names extends object>(names: Names, name: unknown): name is keyof Names {
  return typeof name === 'string' && Object.hasOwn(names, name);
}
