import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Names, ids, arguments and steps of the workflows of webhooks. Imported by workflows: no zod, no I/O. */

/** `outage`: the time in milliseconds at which the circuit opened. `wait_ms`: delay before the first probe. */
export type DeliverToReceiverArgs = { workspace_id: string; receiver_id: string; outage: number; wait_ms: number };

/** Result of one probe. */
export type ProbeOutcome = {
  /** `failing`: the receiver is still broken. `over`: this outage has ended, or nothing waits for the receiver. */
  status: 'failing' | 'over';
  /** HTTP status of the receiver; null without a response, or when nothing was sent. */
  status_code: number | null;
  /** Delay before the next probe. */
  wait_ms: number;
};

/** Retries one delivery. No new ones are started: the workers retry deliveries from their rows. */
export type DeliverWebhookArgs = { workspace_id: string; delivery_id: string; round: number; wait_ms: number };

export type AttemptOutcome = {
  status: 'delivered' | 'failed' | 'again' | 'busy' | 'over';
  attempts: number;
  status_code: number | null;
  wait_ms: number;
};

export type WebhookSteps = {
  /** Sends the delivery that has waited longest to a broken receiver. `is_woken`: at once, even if a pause is not over. */
  probeReceiver(args: {
    workspace_id: string;
    receiver_id: string;
    outage: number;
    is_woken: boolean;
  }): Promise<ProbeOutcome>;
  /** Answers `over`: running `deliverWebhook` workflows end, and the workers go on with their deliveries. */
  attemptWebhook(args: { workspace_id: string; delivery_id: string; round: number }): Promise<AttemptOutcome>;
};

/** An outage of a receiver. */
export type Outage = Pick<DeliverToReceiverArgs, 'workspace_id' | 'receiver_id' | 'outage'>;

export function deliverToReceiverId({ receiver_id, outage }: Omit<Outage, 'workspace_id'>): string {
  return `deliver-to-receiver/${receiver_id}/${outage}`;
}

/** The workflow that probes a broken receiver until it works again. `origin` is its scheme and host. */
export function deliverToReceiverJob(args: DeliverToReceiverArgs, { origin }: { origin: string }): JobStart {
  return {
    workflow_type: 'deliverToReceiver',
    workflow_id: deliverToReceiverId(args),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Probe the webhook receiver ${origin} until it works again`,
    memo: { receiver: origin },
  };
}
