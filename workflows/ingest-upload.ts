import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestUploadArgs } from '#domain/uploads/ingest-jobs.ts';
import {
  NO_OUTCOME,
  describeFailures,
  describeOutcome,
  endOf,
  settledOf,
  type BatchOutcome,
} from '#domain/uploads/ingest-outcomes.ts';
import { openBatchWindow } from './batch-window.ts';
import { wakeSignal } from './ingest-batch.ts';
import { showStage } from './search-attributes.ts';
import { onSteering } from './steering.ts';
import { stepsFor } from './steps.ts';

export const progressQuery = defineQuery<UploadState & { contents: number }>('progress');

/** What goes on from one run of the workflow to the next. */
export type UploadState = { after: string | null; batches: number; outcome: BatchOutcome };

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
  let stage = 'running';
  const show = () => {
    state = { ...state, outcome: batches.outcome() };
    setCurrentDetails(detailsOf(args, { ...state, stage, running: batches.size() }));
  };
  const batches = openBatchWindow({ ...run, upload_id }, state.outcome, show);
  setHandler(progressQuery, () => ({ ...state, contents: args.contents }));
  setHandler(wakeSignal, () => batches.wake());
  onSteering(async (action) => {
    const control = { workspace_id, collection_id, upload_id, action };
    await upkeep.controlUpload.executeWithOptions({ summary: `An operator sent ${action}` }, [control]);
    await batches.wake();
  });

  showStage(stage);
  show();
  const lastBatch = state.batches + BATCHES_PER_RUN;
  for (let more = true; more; more = state.after !== null) {
    if (state.batches >= lastBatch) {
      await batches.rest(false);
      await condition(allHandlersFinished);
      // Children that rest are this run's.
      if (batches.size() === 0) await continueAsNew<typeof ingestUpload>(args, state);
    }
    const summary = `Plan batches${state.after === null ? '' : `, from number ${state.batches + 1} on`}`;
    const plan = await upkeep.planBatches.executeWithOptions({ summary }, [{ ...run, after: state.after }]);
    for (const batch of plan.batches) {
      const number = state.batches;
      const title = `Batch ${number + 1}: ${batch.content_ids.length} of ${args.contents} contents`;
      await batches.start({ ...batch, number, summary: title });
      state = { ...state, batches: number + 1 };
      show();
    }
    state = { ...state, after: plan.next };
  }
  await batches.rest(true);
  const settling = { ...run, outbox_id: workflowInfo().workflowId };
  await upkeep.settleRun.executeWithOptions({ summary: 'Take the upload off the outbox' }, [settling]);
  await condition(allHandlersFinished);
  stage = endOf(state.outcome);
  showStage(stage);
  show();
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
