import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Names, ids, arguments and steps of the workflow of a webhook delivery. Imported by workflows: no zod, no I/O. */

/** `round`: 1, or more after redeliveries. `wait_ms`: before the next attempt. */
export type DeliverWebhookArgs = { workspace_id: string; delivery_id: string; round: number; wait_ms: number };

/** `busy`: nothing was sent, for the receiver is left alone at the moment. `over`: there is nothing to do any more. */
export type AttemptOutcome = {
  status: 'delivered' | 'failed' | 'again' | 'busy' | 'over';
  /** Of this round. */
  attempts: number;
  /** Of the receiver's answer; null without. */
  status_code: number | null;
  /** Before the next attempt; 0 when there is none. */
  wait_ms: number;
};

export type WebhookSteps = {
  /** Sends once, if the receiver may be sent to now. */
  attemptWebhook(args: { workspace_id: string; delivery_id: string; round: number }): Promise<AttemptOutcome>;
};

/** Makes the further attempts of a delivery whose first one did not succeed. `origin` is scheme and host of the receiver. */
export function deliverWebhookJob(args: DeliverWebhookArgs, about: { event_type: string; origin: string }): JobStart {
  const { delivery_id, round } = args;
  return {
    workflow_type: 'deliverWebhook',
    workflow_id: `deliver-webhook/${delivery_id}${round === 1 ? '' : `/${round}`}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Deliver ${about.event_type} to ${about.origin}, which failed at first`,
  };
}
