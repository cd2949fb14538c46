import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AttemptOutcome, DeliverWebhookArgs } from '#domain/webhooks/webhook-jobs.ts';
import { describeWait } from '#domain/webhooks/describe-wait.ts';
import { wakeSignal } from './signals.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/**
 * Retried one webhook delivery; no new ones are started. A running one ends as soon as its delay is over or the signal `wake`
 * arrives, because its activity answers `over`: the worker's loop makes the further attempts.
 */
export async function deliverWebhook(args: DeliverWebhookArgs): Promise<AttemptOutcome> {
  const { workspace_id, delivery_id, round } = args;
  const { upkeep, webhooks } = activityProxiesFor(workspace_id);
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  const show = (stage: string, detail: string) => {
    upsertStage(stage);
    setCurrentDetails(
      `**${stage}**: ${detail}\n\n- delivery \`${delivery_id}\`, round ${round}\n- workspace \`${workspace_id}\``,
    );
  };
  let waitMs = args.wait_ms;
  let detail = 'the first attempt failed';
  for (;;) {
    show('retrying', `${detail}; next attempt in ${describeWait(waitMs)}, or immediately after the signal \`wake\``);
    if (waitMs > 0) await condition(() => woken, waitMs, { summary: `Wait ${describeWait(waitMs)}` });
    woken = false;
    const outcome = await webhooks.attemptWebhook.executeWithOptions({ summary: 'Send' }, [
      { workspace_id, delivery_id, round },
    ]);
    if (outcome.status !== 'again' && outcome.status !== 'busy') {
      const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
      await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row of the delivery' }, [finished]);
      show(outcome.status, describeOutcome(outcome));
      return outcome;
    }
    waitMs = outcome.wait_ms;
    detail = describeOutcome(outcome);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhook>({ ...args, wait_ms: waitMs });
  }
}

function describeOutcome({ status, attempts, status_code }: AttemptOutcome): string {
  if (status === 'over') return 'nothing left to do: the event was delivered, or its webhook was deleted';
  if (status === 'busy') return `${attempts} attempts so far; other deliveries to this endpoint are in progress`;
  return `${attempts} attempts, last status ${status_code ?? 'none'}`;
}
