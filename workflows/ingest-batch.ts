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
  type ExternalWorkflowHandle,
} from '@temporalio/workflow';
import type { IngestBatchArgs } from '#domain/uploads/ingest-jobs.ts';
import {
  addOutcomes,
  describeFailures,
  describeOutcome,
  finalStatusOf,
  finishedCount,
  NO_OUTCOME,
  type BatchOutcome,
  type StepOutcome,
} from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { activityFailureOf, activityProxiesFor, isCurrentEdition, localFirst } from './activity-proxies.ts';
import { FIRST_POLL_INTERVAL_MS, pollIntervalMs } from './poll-interval.ts';
import { ingestInSteps, type Unfinished } from './ingest-in-steps.ts';
import { reprojectStale } from './reproject-contents.ts';
import { batchPausedSignal, batchProgressSignal, wakeSignal } from './signals.ts';
import { firstStage, upsertStage } from './upsert-stage.ts';

const stageQuery = defineQuery<string>('stage');

/** Shows a stage, with a detail, in the search attribute, the details and the query. */
type EnterStage = (stage: string, detail: string) => void;

/**
 * Whether a change that was made before the current edition applies to an execution: always to the current edition; others remember
 * it. Not for a new change, which executions of the current edition that go on do not know: it needs `patched` by itself.
 */
function knewBeforeV2(change: string): boolean {
  return isCurrentEdition() || patched(change);
}

/**
 * Ingests 1 to 200 contents: downloads them, then reads, indexes and publishes them in time slices. Each content succeeds or fails
 * on its own; the batch never fails.
 */
export async function ingestBatch(args: IngestBatchArgs): Promise<BatchOutcome> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const batch = { workspace_id, collection_id, run_id, content_ids };
  const { upkeep } = activityProxiesFor(workspace_id);
  let stage = isCurrentEdition() ? firstStage() : 'pending';
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  setHandler(stageQuery, () => stage);
  const enter: EnterStage = (name, detail) => {
    // Older histories contain an update for each time slice.
    if (name !== stage || !knewBeforeV2('ingest-in-one-step')) upsertStage(name);
    stage = name;
    setCurrentDetails(
      `**${name}**: ${detail}\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\`\n- run \`${run_id}\``,
    );
  };

  let ended = NO_OUTCOME;
  try {
    let polls = 0;
    for (let left = content_ids; left.length > 0;) {
      const { paused, resumed, ended: now } = await ingestContents(args, left, enter);
      ended = addOutcomes(ended, now);
      left = [...paused, ...resumed];
      if (paused.length === 0 || resumed.length > 0) continue;
      enter('paused', `${paused.length} contents wait to be resumed`);
      await tellParent({ isPaused: true });
      const waitMs = knewBeforeV2('paused-batches-look-again-later') ? pollIntervalMs(polls) : FIRST_POLL_INTERVAL_MS;
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
  // Time slices count what ends in them. What ends otherwise, in a download for example, is counted here.
  const isCounted = isCurrentEdition() && finishedCount(ended) === content_ids.length;
  const outcome = isCounted
    ? ended
    : await upkeep.summarizeBatch.executeWithOptions({ summary: 'Count the results' }, [batch]);
  if (args.outbox_id !== null) {
    const finished = { workspace_id, collection_id, run_id, outbox_id: args.outbox_id };
    await localFirst(workspace_id).settleRun('Complete the outbox row of the run', [finished]);
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
): Promise<Unfinished & { ended: BatchOutcome }> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const run = { workspace_id, collection_id, run_id };
  const total = content_ids.length;
  const downloaded = args.downloads
    ? await downloadContents({ ...run, content_ids: contentIds }, (left) =>
        enter('downloading', `${left} of ${total} contents`),
      )
    : { go_on: contentIds, paused: [] };
  if (!knewBeforeV2('ingest-in-one-step')) {
    return { ...(await ingestInSteps(run, downloaded, { total, enter })), ended: NO_OUTCOME };
  }
  const { ingest } = activityProxiesFor(workspace_id);
  const paused = [...downloaded.paused];
  let chunks = 0;
  let ended = NO_OUTCOME;
  let told = NO_OUTCOME;
  for (let left = downloaded.go_on; left.length > 0;) {
    enter('indexing', `${left.length} of ${total} contents left, ${chunks} chunks so far`);
    const summary = `Ingest ${left.length} of ${total} contents`;
    const outcome = await ingest.ingestSlice.executeWithOptions({ summary }, [{ ...run, content_ids: left }]);
    chunks += outcome.chunks;
    paused.push(...outcome.paused);
    left = outcome.more;
    await updateFilters(run, outcome.stale);
    ended = addOutcomes(ended, outcome.ended);
    if (left.length === 0 || !isNews(ended, told)) continue;
    await tellProgress(ended);
    told = ended;
  }
  return { paused, resumed: [], ended };
}

/**
 * Updates the filters of contents that changed during their ingestion. If that fails for good, the rest of the batch goes on: the end
 * of the run has it tried again.
 */
async function updateFilters(run: { workspace_id: string; collection_id: string }, stale: string[]): Promise<void> {
  try {
    await reprojectStale(run, stale);
  } catch (error) {
    // Only a failure is marked, so that no other history has a mark.
    if (isCancellation(error) || !patched('filters-fail-alone')) throw error;
  }
}

async function downloadContents(batch: Batch, show: (left: number) => void): Promise<StepOutcome> {
  const { download } = activityProxiesFor(batch.workspace_id);
  const downloaded: StepOutcome = { go_on: [], paused: [] };
  for (let left = batch.content_ids; left.length > 0;) {
    show(left.length);
    const summary = `Download ${left.length} contents`;
    const outcome = await download.downloadContents.executeWithOptions({ summary }, [{ ...batch, content_ids: left }]);
    downloaded.paused.push(...outcome.paused);
    downloaded.go_on.push(...outcome.go_on);
    left = outcome.more ?? [];
  }
  return downloaded;
}

/**
 * Whether contents have ended since the parent was told. It can be sent ten thousand signals, and a content of many time slices would
 * use them up. Older histories contain a signal for each slice.
 */
function isNews(ended: BatchOutcome, told: BatchOutcome): boolean {
  const finished = finishedCount(ended);
  return finished > 0 && (finished !== finishedCount(told) || !patched('progress-is-told-once'));
}

/** Tells the parent which contents have ended, so that its details show progress before the batch is over. */
async function tellProgress(outcome: BatchOutcome): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent) return;
  await signalParent(parent.workflowId, (handle) =>
    handle.signal(batchProgressSignal, { workflow_id: workflowId, outcome }),
  );
}

/** Tells the parent whether this batch waits for paused contents: the parent then starts another batch in its place. */
async function tellParent({ isPaused }: { isPaused: boolean }): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent || !knewBeforeV2('batches-rest')) return;
  await signalParent(parent.workflowId, (handle) =>
    handle.signal(batchPausedSignal, { workflow_id: workflowId, is_resting: isPaused }),
  );
}

async function signalParent(parentId: string, send: (handle: ExternalWorkflowHandle) => Promise<void>): Promise<void> {
  try {
    await send(getExternalWorkflowHandle(parentId));
  } catch (error) {
    // A parent that has ended starts no more batches.
    if (isCancellation(error)) throw error;
  }
}
