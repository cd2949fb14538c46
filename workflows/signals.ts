import { defineSignal } from '@temporalio/workflow';
import type { BatchOutcome } from '#domain/uploads/batch-outcome.ts';

/** Makes a waiting workflow read its rows again now. The signal carries no data: the rows decide what happens. */
export const wakeSignal = defineSignal('wake');

/** Sent by an operator to a re-embedding: drops the old index without waiting for searches that use it. */
export const dropNowSignal = defineSignal('drop_now');

/** Sent by a batch to its parent workflow: the batch starts to wait for paused contents, or works again. */
export const batchPausedSignal = defineSignal<[BatchPaused]>('rest');
type BatchPaused = { workflow_id: string; is_resting: boolean };

/** Sent by a batch to its parent workflow: the results of its contents that have ended so far. */
export const batchProgressSignal = defineSignal<[BatchProgress]>('batch_progress');
type BatchProgress = { workflow_id: string; outcome: BatchOutcome };
