import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { DeliverToReceiverArgs, ProbeOutcome } from '#domain/webhooks/webhook-jobs.ts';
import { describeWait } from '#domain/webhooks/describe-wait.ts';
import { wakeSignal } from './signals.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/**
 * Probes a webhook receiver whose circuit is open, with one delivery at a time, until it works again or nothing waits for it. The
 * activity returns the pause before the next probe; the signal `wake` ends the pause. All other deliveries wait in their rows, and
 * the worker's loop sends them when the circuit is closed.
 */
export async function deliverToReceiver(args: DeliverToReceiverArgs): Promise<ProbeOutcome> {
  const { workspace_id, receiver_id, outage } = args;
  const { upkeep, webhooks } = activityProxiesFor(workspace_id);
  let isWoken = false;
  setHandler(wakeSignal, () => void (isWoken = true));
  const show = (stage: string, detail: string) => {
    upsertStage(stage);
    setCurrentDetails(`**${stage}**: ${detail}\n\n- receiver \`${receiver_id}\`\n- workspace \`${workspace_id}\``);
  };
  let waitMs = args.wait_ms;
  let detail = 'several attempts in a row failed';
  for (;;) {
    show('failing', `${detail}; next probe in ${describeWait(waitMs)}, or immediately after the signal \`wake\``);
    if (waitMs > 0) await condition(() => isWoken, waitMs, { summary: `Wait ${describeWait(waitMs)}` });
    const probe = { workspace_id, receiver_id, outage, is_woken: isWoken };
    isWoken = false;
    const outcome = await webhooks.probeReceiver.executeWithOptions({ summary: 'Send one delivery' }, [probe]);
    if (outcome.status === 'over') {
      const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
      await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row of the outage' }, [finished]);
      show('over', 'the receiver works again, or nothing waits for it');
      return outcome;
    }
    waitMs = outcome.wait_ms;
    detail = `the last probe had ${outcome.status_code === null ? 'no answer' : `status ${outcome.status_code}`}`;
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof deliverToReceiver>({ ...args, wait_ms: isWoken ? 0 : waitMs });
  }
}
