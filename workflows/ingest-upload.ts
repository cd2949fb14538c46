import {
  ParentClosePolicy,
  continueAsNew,
  defineQuery,
  defineSignal,
  executeChild,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { batchWorkflowId, type IngestUploadArgs } from '../domain/ingest-jobs.ts';
import {
  NO_OUTCOME,
  addOutcomes,
  describeOutcome,
  type BatchOutcome,
  type BatchPlan,
} from '../domain/ingest-outcomes.ts';
import { ingestBatch, wakeSignal } from './ingest-batch.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');
export const cancelSignal = defineSignal('cancel');
export const progressQuery = defineQuery<UploadState & { contents: number }>('progress');

/** What goes on from one run of the workflow to the next. */
export type UploadState = { after: string | null; batches: number; outcome: BatchOutcome };

/** Batches at the same time: enough to read, embed and publish side by side. */
const WINDOW = 4;
/** Batches of one workflow run; its history stays a few thousand events long. */
const BATCHES_PER_RUN = 100;

/** Ingests the contents of one upload in batches, to the end. Contents end one by one; a failed one never stops the others. */
export async function ingestUpload(
  args: IngestUploadArgs,
  state: UploadState = { after: null, batches: 0, outcome: NO_OUTCOME },
): Promise<BatchOutcome> {
  const { workspace_id, collection_id, upload_id } = args;
  const run = { workspace_id, collection_id, run_id: upload_id };
  const { upkeep } = stepsFor(workspace_id);
  const running = new Map<number, { done: Promise<void> }>();
  setHandler(progressQuery, () => ({ ...state, contents: args.contents }));
  setHandler(wakeSignal, () => undefined);
  for (const [signal, action] of [
    [pauseSignal, 'pause'],
    [resumeSignal, 'resume'],
    [cancelSignal, 'cancel'],
  ] as const) {
    setHandler(signal, () => upkeep.controlUpload({ workspace_id, collection_id, upload_id, action }));
  }
  const show = () => {
    const failures = state.outcome.failures.map((failure) => `- ${failure}`).join('\n');
    setCurrentDetails(
      `**${describeOutcome(state.outcome)}** of ${args.contents} contents, ${running.size} batches running\n\n${failures}\n\n` +
        `Workspace \`${workspace_id}\`, collection \`${collection_id}\`, upload \`${upload_id}\``,
    );
  };
  const startBatch = (number: number, batch: BatchPlan['batches'][number]) => {
    const done = runBatch(args, number, batch).then((outcome) => {
      running.delete(number);
      state = { ...state, outcome: addOutcomes(state.outcome, outcome) };
      show();
    });
    running.set(number, { done });
  };

  showStage('running');
  show();
  const lastBatch = state.batches + BATCHES_PER_RUN;
  for (let more = true; more; more = state.after !== null) {
    if (state.batches >= lastBatch) {
      await Promise.all([...running.values()].map(({ done }) => done));
      await continueAsNew<typeof ingestUpload>(args, state);
    }
    const plan = await upkeep.planBatches({ ...run, after: state.after });
    for (const batch of plan.batches) {
      while (running.size >= WINDOW) await Promise.race([...running.values()].map(({ done }) => done));
      startBatch(state.batches, batch);
      state = { ...state, batches: state.batches + 1 };
    }
    state = { ...state, after: plan.next };
  }
  await Promise.all([...running.values()].map(({ done }) => done));
  await upkeep.settleRun({ ...run, outbox_id: workflowInfo().workflowId });
  showStage('settled');
  return state.outcome;
}

/** Runs a batch as a workflow of its own. One that an operator ends fails its contents, not the upload. */
async function runBatch(
  args: IngestUploadArgs,
  number: number,
  batch: BatchPlan['batches'][number],
): Promise<BatchOutcome> {
  const { workspace_id, collection_id, upload_id } = args;
  const { content_ids, downloads } = batch;
  try {
    return await executeChild(ingestBatch, {
      workflowId: batchWorkflowId(upload_id, number),
      args: [{ workspace_id, collection_id, run_id: upload_id, upload_id, content_ids, downloads, outbox_id: null }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: `Batch ${number + 1}: ${content_ids.length} of ${args.contents} contents of upload ${upload_id}`,
      typedSearchAttributes: workflowInfo().typedSearchAttributes,
      priority: { fairnessKey: workspace_id },
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { upkeep } = stepsFor(workspace_id);
    const message = 'An operator ended the workflow of this batch; retry to start again.';
    await upkeep.failContents({
      workspace_id,
      collection_id,
      run_id: upload_id,
      content_ids,
      code: 'terminated',
      message,
    });
    return { ...NO_OUTCOME, failed: content_ids.length, failures: [`batch ${number + 1} was ended by an operator`] };
  }
}
