import type { Schemas } from '../../api/schemas.ts';
import { isKey } from '../../components/filters/is-key.ts';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';

type Delivery = Schemas['WebhookDelivery'];

/** Which deliveries are shown. By default all. */
export type DeliveryFilter = { status?: Delivery['status'] | undefined; event?: Delivery['event_type'] | undefined };

/** Reads the filter from the address of the page. */
export function deliveryFilterOf({ status, event }: Record<string, unknown>): DeliveryFilter {
  return {
    ...(isKey(webhooksTexts.log.status, status) ? { status } : {}),
    ...(isKey(webhooksTexts.event, event) ? { event } : {}),
  };
}
