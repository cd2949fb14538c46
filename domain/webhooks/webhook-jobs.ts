import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Names, ids, arguments and steps of the workflow of a webhook delivery. Imported by workflows: no zod, no I/O. */

/** `round`: 1, plus 1 for each redelivery. `wait_ms`: delay before the next attempt. */
export type DeliverWebhookArgs = { workspace_id: string; delivery_id: string; round: number; wait_ms: number };

/**
 * `again`: the attempt failed and another one follows. `busy`: nothing was sent because the receiver is at its limits. `over`:
 * this round needs no more attempts.
 */
export type AttemptOutcome = {
  status: 'delivered' | 'failed' | 'again' | 'busy' | 'over';
  /** Attempts of this round. */
  attempts: number;
  /** HTTP status of the receiver; null without a response. */
  status_code: number | null;
  /** Delay before the next attempt; 0 when there is none. */
  wait_ms: number;
};

export type WebhookSteps = {
  /** Sends the delivery once, unless the receiver is at its limits. */
  attemptWebhook(args: { workspace_id: string; delivery_id: string; round: number }): Promise<AttemptOutcome>;
};

/** The workflow that makes the further attempts of a delivery whose first one failed. `origin` is scheme and host of the receiver. */
export function deliverWebhookJob(args: DeliverWebhookArgs, about: { event_type: string; origin: string }): JobStart {
  const { delivery_id, round } = args;
  return {
    workflow_type: 'deliverWebhook',
    workflow_id: `deliver-webhook/${delivery_id}${round === 1 ? '' : `/${round}`}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Deliver ${about.event_type} to ${about.origin} after a failed first attempt`,
  };
}
