import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { AttemptOutcome, DeliverWebhookArgs, WebhookSteps } from '#domain/webhooks/webhook-jobs.ts';
import { wakeSignal } from './ingest-batch.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/**
 * Makes the further attempts of a webhook delivery whose first one did not succeed, until one does or none is left. The step
 * says how long to wait; the signal `wake` makes the next attempt come at once.
 */
export async function deliverWebhook(args: DeliverWebhookArgs): Promise<AttemptOutcome> {
  const { workspace_id, delivery_id, round } = args;
  const { upkeep } = stepsFor(workspace_id);
  const { attemptWebhook } = proxyActivities<WebhookSteps>({
    taskQueue: TASK_QUEUES.webhooks,
    startToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    priority: { fairnessKey: workspace_id },
  });
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  const show = (stage: string, detail: string) => {
    showStage(stage);
    setCurrentDetails(
      `**${stage}**: ${detail}\n\n- delivery \`${delivery_id}\`, round ${round}\n- workspace \`${workspace_id}\``,
    );
  };
  let waitMs = args.wait_ms;
  let detail = 'the first attempt did not succeed';
  for (;;) {
    show('retrying', `${detail}; the next one in ${describeMs(waitMs)}, or at once by the signal \`wake\``);
    if (waitMs > 0) await condition(() => woken, waitMs, { summary: `Wait ${describeMs(waitMs)}` });
    woken = false;
    const outcome = await attemptWebhook.executeWithOptions({ summary: 'Send' }, [
      { workspace_id, delivery_id, round },
    ]);
    if (outcome.status !== 'again' && outcome.status !== 'busy') {
      const settling = { workspace_id, outbox_id: workflowInfo().workflowId };
      await upkeep.settleOutbox.executeWithOptions({ summary: 'Take the delivery off the outbox' }, [settling]);
      show(outcome.status, describeOutcome(outcome));
      return outcome;
    }
    waitMs = outcome.wait_ms;
    detail = describeOutcome(outcome);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhook>({ ...args, wait_ms: waitMs });
  }
}

function describeOutcome({ status, attempts, status_code }: AttemptOutcome): string {
  if (status === 'over') return 'there was nothing left to do: it was delivered, or its webhook is gone';
  if (status === 'busy') return `${attempts} attempts so far, the receiver is left alone at the moment`;
  return `${attempts} attempts, the last answer was ${status_code ?? 'none'}`;
}

function describeMs(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
