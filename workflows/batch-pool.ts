import {
  CancellationScope,
  ParentClosePolicy,
  condition,
  isCancellation,
  setHandler,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { batchWorkflowId, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import {
  addOutcomes,
  groupFailures,
  NO_OUTCOME,
  type BatchOutcome,
  type BatchPlan,
} from '#domain/uploads/batch-outcome.ts';
import { activityProxiesFor, isCurrentEdition } from './activity-proxies.ts';
import type { ingestBatch } from './ingest-batch.ts';
import { batchPausedSignal, batchProgressSignal, wakeSignal } from './signals.ts';
import { attributesInStage } from './upsert-stage.ts';

/** Batches that run at the same time, where the plan says nothing else. */
const DEFAULT_CONCURRENCY = 4;
/** Up to this many batches that wait for paused contents do not count as running. */
const MAX_PAUSED = 100;

/** `number`: counted over the whole run, from 0. `summary`: shown in the list of the Temporal UI. */
type NumberedBatch = BatchPlan['batches'][number] & { number: number; summary: string };

type ChildBatch = ChildWorkflowHandle<typeof ingestBatch>;

/** The batches of a run that execute as child workflows, and the sum of their outcomes. */
export type BatchPool = {
  /** Batches that have not ended, paused ones included. */
  size(): number;
  /** Of the batches that have ended. */
  outcome(): BatchOutcome;
  /** Of all contents that have ended, also in batches that have not. */
  progress(): BatchOutcome;
  /** Adds the outcome of contents that no batch ingested. */
  addOutcome(other: BatchOutcome): void;
  /** Starts a batch as soon as fewer than so many are at work. */
  start(batch: NumberedBatch, atOnce?: number): Promise<void>;
  /** Resolves when all remaining batches wait for paused contents. */
  waitForUnpaused(): Promise<void>;
  /** Resolves when every batch has ended. */
  waitForAll(): Promise<void>;
  /** Makes every batch read its rows again. */
  wake(): Promise<void>;
};

/** Runs batches as child workflows, a few at a time. Calls `onChange` when a batch starts or ends. */
export function createBatchPool(
  run: RunKey & { upload_id: string },
  outcomeBefore: BatchOutcome,
  onChange: () => void,
): BatchPool {
  const running = new Set<number>();
  const paused = new Set<string>();
  const partial = new Map<string, BatchOutcome>();
  const children = new Map<number, ChildBatch>();
  let outcome = outcomeBefore;
  let failure: { error: unknown } | null = null;
  setHandler(batchPausedSignal, ({ workflow_id, is_resting }) => {
    if (is_resting) paused.add(workflow_id);
    else paused.delete(workflow_id);
  });
  setHandler(batchProgressSignal, (progress) => {
    partial.set(progress.workflow_id, progress.outcome);
    onChange();
  });
  const waitUntil = async (isTrue: () => boolean) => {
    await condition(isTrue);
    if (failure) throw failure.error;
  };
  const execute = async (batch: NumberedBatch) => {
    const { number } = batch;
    try {
      const childOutcome = await runChild(run, batch, (child) => children.set(number, child));
      outcome = addOutcomes(outcome, childOutcome);
    } catch (error) {
      // Thrown by the next `waitUntil`; an unhandled rejection here would fail the workflow task.
      failure ??= { error };
    }
    running.delete(number);
    children.delete(number);
    paused.delete(batchWorkflowId(run.run_id, number));
    partial.delete(batchWorkflowId(run.run_id, number));
    onChange();
  };
  return {
    size: () => running.size,
    outcome: () => outcome,
    progress: () => [...partial.values()].reduce(addOutcomes, outcome),
    addOutcome: (other) => void (outcome = addOutcomes(outcome, other)),
    start: async (batch, atOnce = DEFAULT_CONCURRENCY) => {
      await waitUntil(() => running.size - Math.min(paused.size, MAX_PAUSED) < atOnce);
      running.add(batch.number);
      void execute(batch);
      onChange();
    },
    waitForUnpaused: () => waitUntil(() => running.size === paused.size),
    waitForAll: () => waitUntil(() => running.size === 0),
    wake: async () => {
      // A batch that has just ended cannot be signalled and needs no signal.
      await Promise.allSettled([...children.values()].map((child) => child.signal(wakeSignal)));
    },
  };
}

/** Executes a batch as a child workflow. If an operator terminates the child, its contents fail and the parent continues. */
async function runChild(
  { upload_id, ...run }: RunKey & { upload_id: string },
  { number, content_ids, downloads, summary }: NumberedBatch,
  onStart: (child: ChildBatch) => void,
): Promise<BatchOutcome> {
  const { workspace_id, run_id } = run;
  try {
    const child = await startChild<typeof ingestBatch>(isCurrentEdition() ? 'ingestBatchV2' : 'ingestBatch', {
      workflowId: batchWorkflowId(run_id, number),
      args: [{ ...run, upload_id, content_ids, downloads, outbox_id: null }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: summary,
      ...(workflowInfo().memo ? { memo: workflowInfo().memo } : {}),
      typedSearchAttributes: attributesInStage(downloads ? 'downloading' : 'indexing'),
      priority: { fairnessKey: workspace_id },
    });
    onStart(child);
    return await child.result();
  } catch (error) {
    // Cancelling only the child fails its contents; cancelling this workflow ends this workflow.
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    const { upkeep } = activityProxiesFor(workspace_id);
    const message = 'An operator ended the workflow of this batch. Retry to start again.';
    const code = 'terminated';
    const failed = { ...run, content_ids, code, message } as const;
    await upkeep.failContents.executeWithOptions({ summary: `Fail batch ${number + 1}: ${code}` }, [failed]);
    const failures = groupFailures(content_ids.map((content_id) => ({ content_id, code })));
    return { ...NO_OUTCOME, failed: content_ids.length, failures };
  }
}
