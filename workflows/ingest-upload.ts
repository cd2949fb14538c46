import {
  CancellationScope,
  ParentClosePolicy,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { batchWorkflowId, type IngestUploadArgs } from '../domain/ingest-jobs.ts';
import {
  NO_OUTCOME,
  addOutcomes,
  describeFailures,
  describeOutcome,
  endOf,
  groupFailures,
  settledOf,
  type BatchOutcome,
  type BatchPlan,
} from '../domain/ingest-outcomes.ts';
import { ingestBatch, restSignal, wakeSignal } from './ingest-batch.ts';
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
/** So many more may wait for paused contents meanwhile. */
const MOST_RESTING = 100;
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
  const running = new Map<number, Promise<void>>();
  /** Batches that wait for paused contents; they take no place of those at work. */
  const resting = new Set<string>();
  const children = new Map<number, ChildWorkflowHandle<typeof ingestBatch>>();
  let broken: { error: unknown } | null = null;
  const wakeChildren = async () => {
    // One that has just ended needs no waking.
    await Promise.allSettled([...children.values()].map((child) => child.signal(wakeSignal)));
  };
  setHandler(progressQuery, () => ({ ...state, contents: args.contents }));
  setHandler(wakeSignal, wakeChildren);
  setHandler(restSignal, ({ workflow_id, is_resting }) => {
    if (is_resting) resting.add(workflow_id);
    else resting.delete(workflow_id);
  });
  for (const [signal, action] of [
    [pauseSignal, 'pause'],
    [resumeSignal, 'resume'],
    [cancelSignal, 'cancel'],
  ] as const) {
    setHandler(signal, async () => {
      const control = { workspace_id, collection_id, upload_id, action };
      await upkeep.controlUpload.executeWithOptions({ summary: `An operator sent ${action}` }, [control]);
      await wakeChildren();
    });
  }
  const show = (stage: string) => setCurrentDetails(detailsOf(args, { ...state, stage, running: running.size }));
  const finish = async (number: number, batch: PlannedBatch) => {
    try {
      const outcome = await runBatch(args, { ...batch, number, onStart: (child) => children.set(number, child) });
      state = { ...state, outcome: addOutcomes(state.outcome, outcome) };
    } catch (error) {
      // Thrown on by whoever waits next; a rejection that nobody awaits yet would break the workflow.
      broken ??= { error };
    }
    running.delete(number);
    children.delete(number);
    resting.delete(batchWorkflowId(upload_id, number));
    show('running');
  };
  const waitUntil = async (isTrue: () => boolean) => {
    await condition(isTrue);
    if (broken) throw broken.error;
  };
  const hasRoom = () => running.size - Math.min(resting.size, MOST_RESTING) < WINDOW;

  showStage('running');
  show('running');
  const lastBatch = state.batches + BATCHES_PER_RUN;
  for (let more = true; more; more = state.after !== null) {
    if (state.batches >= lastBatch) {
      await waitUntil(() => running.size === resting.size);
      await condition(allHandlersFinished);
      // Children that rest are this run's.
      if (running.size === 0) await continueAsNew<typeof ingestUpload>(args, state);
    }
    const summary = `Plan batches${state.after === null ? '' : `, from number ${state.batches + 1} on`}`;
    const plan = await upkeep.planBatches.executeWithOptions({ summary }, [{ ...run, after: state.after }]);
    for (const batch of plan.batches) {
      await waitUntil(hasRoom);
      const number = state.batches;
      state = { ...state, batches: number + 1 };
      running.set(number, finish(number, batch));
      show('running');
    }
    state = { ...state, after: plan.next };
  }
  await waitUntil(() => running.size === 0);
  const settling = { ...run, outbox_id: workflowInfo().workflowId };
  await upkeep.settleRun.executeWithOptions({ summary: 'Take the upload off the outbox' }, [settling]);
  await condition(allHandlersFinished);
  showStage(endOf(state.outcome));
  show(endOf(state.outcome));
  return state.outcome;
}

/** What an operator reads: how far, what failed and why, for whom, and how to steer. */
function detailsOf(args: IngestUploadArgs, now: UploadState & { stage: string; running: number }): string {
  const { workspace_id, collection_id, upload_id, contents } = args;
  const settled = settledOf(now.outcome);
  const percent = contents === 0 ? 100 : Math.floor((settled * 100) / contents);
  const isOver = now.stage !== 'running';
  const work = isOver ? '' : `\n\n${now.running} batches at work, ${now.batches} started so far`;
  return [
    `**${now.stage}: ${settled} of ${contents} contents done (${percent} %)**\n\n${describeOutcome(now.outcome)}${work}`,
    describeFailures(now.outcome.failures),
    `- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- upload \`${upload_id}\``,
    isOver ? '' : 'Steer it with the signals `pause`, `resume` and `cancel`.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

type PlannedBatch = BatchPlan['batches'][number];
type StartedBatch = PlannedBatch & {
  number: number;
  onStart: (child: ChildWorkflowHandle<typeof ingestBatch>) => void;
};

/** Runs a batch as a workflow of its own. One that an operator ends fails its contents, not the upload. */
async function runBatch(args: IngestUploadArgs, batch: StartedBatch): Promise<BatchOutcome> {
  const { workspace_id, collection_id, upload_id } = args;
  const { number, content_ids, downloads, onStart } = batch;
  try {
    const child = await startChild(ingestBatch, {
      workflowId: batchWorkflowId(upload_id, number),
      args: [{ workspace_id, collection_id, run_id: upload_id, upload_id, content_ids, downloads, outbox_id: null }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: `Batch ${number + 1}: ${content_ids.length} of ${args.contents} contents`,
      typedSearchAttributes: workflowInfo().typedSearchAttributes,
      priority: { fairnessKey: workspace_id },
    });
    onStart(child);
    return await child.result();
  } catch (error) {
    // A batch that alone was cancelled is one that was ended; only the upload's own cancellation ends the upload.
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    const { upkeep } = stepsFor(workspace_id);
    const message = 'An operator ended the workflow of this batch; retry to start again.';
    const code = 'terminated';
    const failure = { workspace_id, collection_id, run_id: upload_id, content_ids, code, message };
    await upkeep.failContents.executeWithOptions({ summary: `End batch ${number + 1} as failed: ${code}` }, [failure]);
    const failures = groupFailures(content_ids.map((content_id) => ({ content_id, code })));
    return { ...NO_OUTCOME, failed: content_ids.length, failures };
  }
}
