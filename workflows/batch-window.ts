import { condition, setHandler } from '@temporalio/workflow';
import { batchWorkflowId, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import { addOutcomes, type BatchOutcome, type BatchPlan } from '#domain/uploads/ingest-outcomes.ts';
import { restSignal, wakeSignal } from './ingest-batch.ts';
import { runBatch, type BatchChild } from './run-batch.ts';

/** Batches at the same time: enough to read, embed and publish side by side. */
const WINDOW = 4;
/** So many more may wait for paused contents meanwhile. */
const MOST_RESTING = 100;

/** `number`: counted over the run, from 0. `summary`: for the list in the Temporal UI. */
type NextBatch = BatchPlan['batches'][number] & { number: number; summary: string };

/** Batches of a run that are at work, and what those before them came to. */
export type BatchWindow = {
  /** How many have not come to their end. */
  size(): number;
  outcome(): BatchOutcome;
  /** Starts the next one when there is room. */
  start(batch: NextBatch): Promise<void>;
  /** Resolves when none is at work but those that wait for paused contents; `isEmpty` when not even those. */
  rest(isEmpty: boolean): Promise<void>;
  /** Has every one look at the rows. */
  wake(): Promise<void>;
};

/** Runs batches as children, some at a time. `onChange` is told when one has begun or ended. */
export function openBatchWindow(
  run: RunKey & { upload_id: string },
  before: BatchOutcome,
  onChange: () => void,
): BatchWindow {
  const running = new Set<number>();
  /** Batches that wait for paused contents; they take no place of those at work. */
  const resting = new Set<string>();
  const children = new Map<number, BatchChild>();
  let outcome = before;
  let broken: { error: unknown } | null = null;
  setHandler(restSignal, ({ workflow_id, is_resting }) => {
    if (is_resting) resting.add(workflow_id);
    else resting.delete(workflow_id);
  });
  const waitUntil = async (isTrue: () => boolean) => {
    await condition(isTrue);
    if (broken) throw broken.error;
  };
  const finish = async (batch: NextBatch) => {
    const { number } = batch;
    try {
      const { upload_id: uploadId, ...key } = run;
      const child = await runBatch(key, { ...batch, uploadId, onStart: (handle) => children.set(number, handle) });
      outcome = addOutcomes(outcome, child);
    } catch (error) {
      // Thrown on by whoever waits next; a rejection that nobody awaits yet would break the workflow.
      broken ??= { error };
    }
    running.delete(number);
    children.delete(number);
    resting.delete(batchWorkflowId(run.run_id, number));
    onChange();
  };
  return {
    size: () => running.size,
    outcome: () => outcome,
    start: async (batch) => {
      await waitUntil(() => running.size - Math.min(resting.size, MOST_RESTING) < WINDOW);
      running.add(batch.number);
      void finish(batch);
      onChange();
    },
    rest: (isEmpty) => waitUntil(() => running.size === (isEmpty ? 0 : resting.size)),
    wake: async () => {
      // One that has just ended needs no waking.
      await Promise.allSettled([...children.values()].map((child) => child.signal(wakeSignal)));
    },
  };
}
