import type { AttemptOutcome } from '#domain/webhooks/webhook-jobs.ts';
import { attemptOnceMore } from '#operations/webhooks/attempt-delivery.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** One more attempt of a delivery, if its receiver may be sent to now. */
export function attemptWebhook(
  services: WorkerServices,
  delivery: { workspace_id: string; delivery_id: string; round: number },
): Promise<AttemptOutcome> {
  return attemptOnceMore(services, delivery);
}
