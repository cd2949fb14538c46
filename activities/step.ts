import { Context, type Info } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { AppError } from '#domain/app-error.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { collectionScope } from '#domain/access/scope.ts';
import { toActivityFailure, isPassing } from './failures.ts';
import type { WorkerServices } from './worker-services.ts';

/** What an activity knows about its execution. */
export type StepContext = {
  /** Starts at 1; greater when an earlier attempt failed or its worker died. */
  attempt: number;
  /** Aborted when the worker stops, or when the server has assigned the activity to another worker. */
  signal: AbortSignal;
  /** What the work has achieved so far. Heartbeats carry it: the Temporal UI shows it while the activity runs. */
  progress: StepProgress;
};

/** Counts of this execution. */
export type StepProgress = { chunks: number; ready: number };

/**
 * Each heartbeat is work for the server, and paid for where others run it. Most activities end before their first one, a time slice
 * sends one. `HEARTBEAT_TIMEOUT` of the workflows leaves a worker that stalls 12 s before it counts as dead.
 */
const HEARTBEAT_INTERVAL_MS = 8_000;
const EXPRESS_HEARTBEAT_INTERVAL_MS = 1_500;

/**
 * Unexpected errors by activity. Attempts say nothing about them: during an outage there are dozens, and then the first unexpected error
 * would be the last. What another worker has counted is not known here, which only means more attempts.
 */
const unexpectedErrors = new LRUCache<string, number>({ max: 10_000 });

/** Runs an activity with heartbeats, logs and measures it, and maps its errors to Temporal failures. */
export async function runStep<Result>(
  services: WorkerServices,
  step: { name: string; workspaceId: string; batch: Batch | null },
  work: (context: StepContext) => Promise<Result>,
): Promise<Result> {
  const { info, cancellationSignal, heartbeat } = Context.current();
  const isExpress = info.taskQueue === TASK_QUEUES.express;
  const progress: StepProgress = { chunks: 0, ready: 0 };
  const intervalMs = isExpress ? EXPRESS_HEARTBEAT_INTERVAL_MS : HEARTBEAT_INTERVAL_MS;
  const beat = setInterval(() => heartbeat(progress), intervalMs);
  const startedMs = performance.now();
  try {
    return await work({ attempt: info.attempt, signal: cancellationSignal, progress });
  } catch (error) {
    if (cancellationSignal.aborted) throw await Context.current().cancelled;
    const level = isPassing(error) ? 'warn' : 'error';
    services.log[level](
      {
        error,
        workflow_id: info.workflowExecution?.workflowId,
        workspace_id: step.workspaceId,
        step: step.name,
        attempt: info.attempt,
      },
      'a step failed',
    );
    if (step.batch && isPassing(error)) await showWaiting(services, step.batch, error);
    throw toActivityFailure(error, countUnexpected(info, error));
  } finally {
    clearInterval(beat);
    services.metrics.observeStage(step.name, performance.now() - startedMs);
  }
}

/** Returns how many unexpected errors this process has seen of the activity, with this one. */
function countUnexpected({ workflowExecution, activityId }: Info, error: unknown): number {
  const activity = `${workflowExecution?.runId} ${activityId}`;
  const count = (unexpectedErrors.get(activity) ?? 0) + (isPassing(error) ? 0 : 1);
  if (count > 0) unexpectedErrors.set(activity, count);
  return count;
}

/** Sets the status message of the contents to what they wait for. The next step that succeeds clears it. */
async function showWaiting(services: WorkerServices, batch: Batch, error: unknown): Promise<void> {
  const reason = error instanceof AppError ? error.message : 'The infrastructure is busy.';
  const message = `${reason.replace(/[;,] try again[^.;]*/, '')} Ingestion waits and goes on by itself.`;
  try {
    await services.stores.runs.showWaiting(collectionScope(batch), runContentsOf(batch), message);
  } catch (failure) {
    // Postgres itself may be unavailable.
    services.log.info(
      { error: failure, workspace_id: batch.workspace_id },
      'the status message of waiting contents could not be written',
    );
  }
}

/** Converts a batch, or some of its contents, to the parameter of store methods. */
export function runContentsOf(batch: Batch, contentIds: readonly string[] = batch.content_ids) {
  return { collectionId: batch.collection_id, runId: batch.run_id, contentIds };
}
