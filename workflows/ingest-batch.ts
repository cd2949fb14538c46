import {
  condition,
  continueAsNew,
  defineQuery,
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
  finalStatusOf,
  type BatchOutcome,
  type StepOutcome,
} from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { activityFailureOf } from './activity-failure.ts';
import { activityProxiesFor } from './activity-proxies.ts';
import { FIRST_POLL_INTERVAL_MS, pollIntervalMs } from './poll-interval.ts';
import { reproject } from './reproject-contents.ts';
import { batchPausedSignal, wakeSignal } from './signals.ts';
import { upsertStage } from './upsert-stage.ts';

const stageQuery = defineQuery<string>('stage');

/** Shows a stage, with a detail, in the search attribute, the details and the query. */
type EnterStage = (stage: string, detail: string) => void;

/**
 * Ingests 1 to 200 contents: downloads them, reads and splits them, indexes them in time slices and publishes them. Each content
 * succeeds or fails on its own; the batch never fails.
 */
export async function ingestBatch(args: IngestBatchArgs): Promise<BatchOutcome> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const batch = { workspace_id, collection_id, run_id, content_ids };
  const { upkeep } = activityProxiesFor(workspace_id);
  let stage = 'pending';
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  setHandler(stageQuery, () => stage);
  const enter: EnterStage = (name, detail) => {
    stage = name;
    upsertStage(name);
    setCurrentDetails(
      `**${name}**: ${detail}\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- run \`${run_id}\``,
    );
  };

  try {
    let polls = 0;
    for (let left = content_ids; left.length > 0;) {
      const { paused, resumed } = await ingestContents(args, left, enter);
      left = [...paused, ...resumed];
      if (paused.length === 0 || resumed.length > 0) continue;
      enter('paused', `${paused.length} contents wait to be resumed`);
      await tellParent({ isPaused: true });
      const waitMs = patched('paused-batches-look-again-later') ? pollIntervalMs(polls) : FIRST_POLL_INTERVAL_MS;
      await condition(() => woken, waitMs, { summary: 'Paused until woken, or until the next poll' });
      polls = woken ? 0 : polls + 1;
      woken = false;
      await tellParent({ isPaused: false });
      // Weeks of being paused fill a history. Completed steps are not repeated.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof ingestBatch>(args);
    }
  } catch (error) {
    const { code, message } = activityFailureOf(error);
    await upkeep.failContents.executeWithOptions({ summary: `Fail the remaining contents: ${code}` }, [
      { ...batch, code, message: `Ingestion stopped: ${message}` },
    ]);
  }
  const outcome = await upkeep.summarizeBatch.executeWithOptions({ summary: 'Count the results' }, [batch]);
  if (args.outbox_id !== null) {
    const finished = { workspace_id, collection_id, run_id, outbox_id: args.outbox_id };
    await upkeep.settleRun.executeWithOptions({ summary: 'Complete the outbox row of the run' }, [finished]);
  }
  enter(finalStatusOf(outcome), `${describeOutcome(outcome)}\n\n${describeFailures(outcome.failures)}`);
  return outcome;
}

/**
 * Takes contents through all steps, except those that are paused. `paused`: contents that wait to be resumed; `resumed`: contents
 * that were paused during indexing and have been resumed since. Both are not finished.
 */
async function ingestContents(
  args: IngestBatchArgs,
  contentIds: string[],
  enter: EnterStage,
): Promise<{ paused: string[]; resumed: string[] }> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const run = { workspace_id, collection_id, run_id };
  const { download, ingest } = activityProxiesFor(workspace_id);
  const paused: string[] = [];
  let left = contentIds;
  const runInTimeSlices = async (stage: string, step: (batch: Batch) => Promise<StepOutcome>) => {
    const completed: string[] = [];
    for (let more = left; more.length > 0;) {
      enter(stage, `${more.length} of ${content_ids.length} contents`);
      const outcome = await step({ ...run, content_ids: more });
      paused.push(...outcome.paused);
      completed.push(...outcome.go_on);
      more = outcome.more ?? [];
    }
    left = completed;
  };
  if (args.downloads)
    await runInTimeSlices('downloading', (batch) =>
      download.downloadContents.executeWithOptions({ summary: `Download ${batch.content_ids.length} contents` }, [
        batch,
      ]),
    );
  await runInTimeSlices('reading', (batch) =>
    ingest.readContents.executeWithOptions({ summary: `Read and split ${batch.content_ids.length} contents` }, [batch]),
  );
  if (left.length === 0) return { paused, resumed: [] };
  const published = await indexAndPublish({ ...run, content_ids: left }, enter);
  return { paused: [...paused, ...published.paused], resumed: published.resumed };
}

async function indexAndPublish(batch: Batch, enter: EnterStage): Promise<{ paused: string[]; resumed: string[] }> {
  const { workspace_id, collection_id, content_ids } = batch;
  const { index } = activityProxiesFor(workspace_id);
  const count = `${content_ids.length} contents`;
  let chunks = 0;
  for (let done = false; !done;) {
    enter('indexing', `${count}, ${chunks} chunks so far`);
    const outcome = await index.indexSlice.executeWithOptions({ summary: `Embed and index ${count}` }, [batch]);
    chunks += outcome.chunks;
    done = outcome.done;
  }
  enter('publishing', `${count}, ${chunks} chunks`);
  const published = await index.publishContents.executeWithOptions({ summary: `Publish ${count}` }, [batch]);
  if (published.stale.length > 0) {
    const summary = `Update the filters of ${published.stale.length} contents that changed during ingestion`;
    await reproject({ workspace_id, collection_id, content_ids: published.stale }, summary);
  }
  return published;
}

/** Tells the parent whether this batch waits for paused contents: the parent then starts another batch in its place. */
async function tellParent({ isPaused }: { isPaused: boolean }): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent || !patched('batches-rest')) return;
  try {
    await getExternalWorkflowHandle(parent.workflowId).signal(batchPausedSignal, {
      workflow_id: workflowId,
      is_resting: isPaused,
    });
  } catch (error) {
    // A parent that has ended starts no more batches.
    if (isCancellation(error)) throw error;
  }
}
