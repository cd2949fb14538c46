import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestBatchArgs } from '#domain/uploads/ingest-jobs.ts';
import {
  describeFailures,
  describeOutcome,
  endOf,
  type BatchOutcome,
  type StepOutcome,
} from '#domain/uploads/ingest-outcomes.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { FIRST_LOOK_MS, lookAgainMs } from './look-again.ts';
import { showStage } from './search-attributes.ts';
import { reproject } from './reproject-contents.ts';
import { stepsFor } from './steps.ts';

/** Row state decides what happens; this only makes the workflow look at it now. */
export const wakeSignal = defineSignal('wake');
/** From a batch to its upload: it rests, or is at work again. */
export const restSignal = defineSignal<[BatchRest]>('rest');
export type BatchRest = { workflow_id: string; is_resting: boolean };
export const batchStageQuery = defineQuery<string>('stage');

/** Ingests 1 to 200 contents: download, read and split, index in slices, publish. Contents end one by one, never the batch. */
export async function ingestBatch(args: IngestBatchArgs): Promise<BatchOutcome> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const batch = { workspace_id, collection_id, run_id, content_ids };
  const { upkeep, download, ingest, index } = stepsFor(workspace_id);
  let stage = 'pending';
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  setHandler(batchStageQuery, () => stage);
  const enter = (name: string, detail: string) => {
    stage = name;
    showStage(name);
    setCurrentDetails(
      `**${name}**: ${detail}\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- run \`${run_id}\``,
    );
  };

  /** Takes contents as far as they go now; returns those that are not done. */
  const advance = async (ids: string[]): Promise<{ paused: string[]; resumed: string[] }> => {
    const paused: string[] = [];
    let left = ids;
    const inSlices = async (name: string, step: (slice: Batch) => Promise<StepOutcome>) => {
      const through: string[] = [];
      for (let more = left; more.length > 0;) {
        enter(name, `${more.length} of ${content_ids.length} contents`);
        const slice = await step({ ...batch, content_ids: more });
        paused.push(...slice.paused);
        through.push(...slice.go_on);
        more = slice.more ?? [];
      }
      left = through;
    };
    if (args.downloads)
      await inSlices('downloading', (slice) =>
        download.downloadContents.executeWithOptions({ summary: `Download ${slice.content_ids.length} contents` }, [
          slice,
        ]),
      );
    await inSlices('reading', (slice) =>
      ingest.readContents.executeWithOptions({ summary: `Read and split ${slice.content_ids.length} contents` }, [
        slice,
      ]),
    );
    if (left.length === 0) return { paused, resumed: [] };
    let chunks = 0;
    for (let done = false; !done;) {
      enter('indexing', `${left.length} contents, ${chunks} chunks so far`);
      const slice = await index.indexSlice.executeWithOptions({ summary: `Embed and index ${left.length} contents` }, [
        { ...batch, content_ids: left },
      ]);
      chunks += slice.chunks;
      done = slice.done;
    }
    enter('publishing', `${left.length} contents, ${chunks} chunks`);
    const published = await index.publishContents.executeWithOptions({ summary: `Publish ${left.length} contents` }, [
      { ...batch, content_ids: left },
    ]);
    if (published.stale.length > 0) {
      const summary = `Update the filters of ${published.stale.length} contents changed meanwhile`;
      await reproject({ workspace_id, collection_id, content_ids: published.stale }, summary);
    }
    return { paused: [...paused, ...published.paused], resumed: published.resumed };
  };

  try {
    let looks = 0;
    for (let left = content_ids; left.length > 0;) {
      const { paused, resumed } = await advance(left);
      left = [...paused, ...resumed];
      if (paused.length === 0 || resumed.length > 0) continue;
      enter('paused', `${paused.length} contents wait to be resumed`);
      await tellUpload(true);
      const waitMs = patched('paused-batches-look-again-later') ? lookAgainMs(looks) : FIRST_LOOK_MS;
      await condition(() => woken, waitMs, { summary: 'Paused: looks again by itself, or when woken' });
      looks = woken ? 0 : looks + 1;
      woken = false;
      await tellUpload(false);
      // Who pauses for weeks fills a history; what is done is not done again.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ingestBatch>(args);
    }
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const code = (error.cause instanceof ApplicationFailure && error.cause.type) || 'internal';
    const message = `Ingestion stopped: ${error.cause?.message ?? error.message}`;
    await upkeep.failContents.executeWithOptions({ summary: `End what is left as failed: ${code}` }, [
      { ...batch, code, message },
    ]);
  }
  const outcome = await upkeep.summarizeBatch.executeWithOptions({ summary: 'Count what became of the contents' }, [
    batch,
  ]);
  if (args.outbox_id !== null) {
    const settling = { workspace_id, collection_id, run_id, outbox_id: args.outbox_id };
    await upkeep.settleRun.executeWithOptions({ summary: 'Take the run off the outbox' }, [settling]);
  }
  enter(endOf(outcome), `${describeOutcome(outcome)}\n\n${describeFailures(outcome.failures)}`);
  return outcome;
}

/** An upload starts another batch in the place of one that waits for a user, so that what was paused stops nothing else. */
async function tellUpload(isResting: boolean): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent || !patched('batches-rest')) return;
  try {
    await getExternalWorkflowHandle(parent.workflowId).signal(restSignal, {
      workflow_id: workflowId,
      is_resting: isResting,
    });
  } catch (error) {
    // An upload that has ended starts nothing any more.
    if (isCancellation(error)) throw error;
  }
}
