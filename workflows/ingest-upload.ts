import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestUploadArgs } from '#domain/uploads/ingest-jobs.ts';
import {
  NO_OUTCOME,
  describeFailures,
  describeOutcome,
  finalStatusOf,
  finishedCount,
  type BatchOutcome,
  type ExpressOutcome,
} from '#domain/uploads/batch-outcome.ts';
import { createBatchPool } from './batch-pool.ts';
import { wakeSignal } from './signals.ts';
import { reprojectStale } from './reproject-contents.ts';
import { upsertStage } from './upsert-stage.ts';
import { handleControlSignals } from './control-signals.ts';
import { activityProxiesFor, isCurrentEdition, localFirst } from './activity-proxies.ts';

const progressQuery = defineQuery<UploadState & { contents: number }>('progress');

/** State that continue-as-new passes to the next execution. */
type UploadState = { after: string | null; batches: number; outcome: BatchOutcome };

/** An execution that has started so many batches makes no further plan, which keeps its history at a few thousand events. */
const BATCHES_PER_EXECUTION = 100;

/** Ingests all contents of an upload in batches. Each content succeeds or fails on its own; a failure never stops the others. */
export async function ingestUpload(
  args: IngestUploadArgs,
  state: UploadState = { after: null, batches: 0, outcome: NO_OUTCOME },
): Promise<BatchOutcome> {
  const { workspace_id, collection_id, upload_id } = args;
  const run = { workspace_id, collection_id, run_id: upload_id };
  const { upkeep } = activityProxiesFor(workspace_id);
  const short = localFirst(workspace_id);
  let stage = 'running';
  const show = () => {
    state = { ...state, outcome: batches.outcome() };
    const now = { ...state, outcome: batches.progress(), stage, running: batches.size() };
    setCurrentDetails(detailsOf(args, now));
  };
  const batches = createBatchPool({ ...run, upload_id }, state.outcome, show);
  setHandler(progressQuery, () => ({ ...state, contents: args.contents }));
  setHandler(wakeSignal, () => batches.wake());
  handleControlSignals(async (action) => {
    const control = { workspace_id, collection_id, upload_id, action };
    await upkeep.controlUpload.executeWithOptions({ summary: `Operator signal: ${action}` }, [control]);
    await batches.wake();
  });

  const finish = async () => {
    await condition(allHandlersFinished);
    stage = finalStatusOf(batches.outcome());
    upsertStage(stage);
    show();
    return state.outcome;
  };

  const isExpress = args.express !== undefined && state.after === null && state.batches === 0;
  // An express upload ends within moments: its second stage is its last one.
  const isStageLater = isExpress && isCurrentEdition();
  if (!isStageLater) upsertStage(stage);
  show();
  if (isExpress && args.express) {
    const express = await ingestExpress(args, args.express);
    batches.addOutcome(express.outcome);
    if (express.is_complete) return finish();
    if (isStageLater) upsertStage(stage);
  }
  const lastBatch = state.batches + BATCHES_PER_EXECUTION;
  for (let more = true; more; more = state.after !== null) {
    if (state.batches >= lastBatch || isHistoryLong()) {
      await batches.waitForUnpaused();
      await condition(allHandlersFinished);
      // Paused children belong to this execution, which must wait for them.
      if (batches.size() === 0) await continueAsNew<typeof ingestUpload>(args, state);
    }
    const summary = `Plan batches${state.after === null ? '' : `, from number ${state.batches + 1} on`}`;
    const plan = await short.planBatches(summary, [{ ...run, after: state.after, heeds_at_once: true }]);
    for (const batch of plan.batches) {
      const number = state.batches;
      const title = `Batch ${number + 1}: ${batch.content_ids.length} of ${args.contents} contents`;
      await batches.start({ ...batch, number, summary: title }, plan.at_once);
      state = { ...state, batches: number + 1 };
      show();
    }
    state = { ...state, after: plan.next };
  }
  await batches.waitForAll();
  const finished = { ...run, outbox_id: workflowInfo().workflowId };
  await short.settleRun('Complete the outbox row of the upload', [finished]);
  return finish();
}

/** Signals of batches, and of operators, fill a history and are limited in number. Older executions have only counted their batches. */
function isHistoryLong(): boolean {
  return workflowInfo().continueAsNewSuggested && patched('upload-continues-when-suggested');
}

/** Ingests a small upload in one activity, which passes bulk work. What it leaves is ingested in batches, like everything else. */
async function ingestExpress({ upload_id, ...args }: IngestUploadArgs, contentIds: string[]): Promise<ExpressOutcome> {
  const { workspace_id, collection_id } = args;
  const { express } = activityProxiesFor(workspace_id);
  const batch = { workspace_id, collection_id, run_id: upload_id, content_ids: contentIds };
  const summary = `Ingest ${contentIds.length === 1 ? '1 content' : `${contentIds.length} contents`} at once`;
  const { workflowId } = workflowInfo();
  try {
    const outcome = await express.ingestExpress.executeWithOptions({ summary }, [{ ...batch, outbox_id: workflowId }]);
    await reprojectStale(batch, outcome.stale);
    return outcome;
  } catch (error) {
    if (isCancellation(error)) throw error;
    // The batches find out what is wrong with which content.
    return { outcome: NO_OUTCOME, is_complete: false, stale: [] };
  }
}

/** Markdown for the Temporal UI: progress, failures with their reasons, ids, and the signals that control the workflow. */
function detailsOf(args: IngestUploadArgs, now: UploadState & { stage: string; running: number }): string {
  const { workspace_id, collection_id, upload_id, contents } = args;
  const finished = finishedCount(now.outcome);
  const percent = contents === 0 ? 100 : Math.floor((finished * 100) / contents);
  const hasEnded = now.stage !== 'running';
  const work = hasEnded ? '' : `\n\nBatches: ${now.running} running, ${now.batches} started so far`;
  return [
    `**${now.stage}: ${finished} of ${contents} contents done (${percent} %)**\n\n${describeOutcome(now.outcome)}${work}`,
    describeFailures(now.outcome.failures),
    `- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- upload \`${upload_id}\``,
    hasEnded ? '' : 'Control it with the signals `pause`, `resume` and `cancel`.',
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}
