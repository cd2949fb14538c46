import type { AttemptOutcome } from '#domain/webhooks/webhook-jobs.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Ends a `deliverWebhook` workflow. The loop of the worker makes the further attempts of its delivery when they are due. */
export async function attemptWebhook(
  _services: WorkerServices,
  _delivery: { workspace_id: string },
): Promise<AttemptOutcome> {
  return { status: 'over', attempts: 0, status_code: null, wait_ms: 0 };
}
