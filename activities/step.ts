import { Context } from '@temporalio/activity';
import { AppError } from '#domain/app-error.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { collectionScope } from '#domain/access/scope.ts';
import { toActivityFailure, isPassing } from './failures.ts';
import type { WorkerServices } from './worker-services.ts';

/** What a step knows of its surroundings. */
export type StepContext = {
  /** From 1; more than 1 when an attempt before failed or died. */
  attempt: number;
  /** Aborted when the worker stops, or when the server gave this step to another worker. */
  signal: AbortSignal;
};

const BEAT_MS = 2_000;

/** Runs a step with heartbeats, and maps what goes wrong to what Temporal is told. */
export async function runStep<Result>(
  services: WorkerServices,
  step: { name: string; workspaceId: string; batch: Batch | null },
  work: (context: StepContext) => Promise<Result>,
): Promise<Result> {
  const { info, cancellationSignal, heartbeat } = Context.current();
  const beat = setInterval(() => heartbeat(), BEAT_MS);
  const startedMs = performance.now();
  try {
    return await work({ attempt: info.attempt, signal: cancellationSignal });
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
    throw toActivityFailure(error, info.attempt);
  } finally {
    clearInterval(beat);
    services.metrics.observeStage(step.name, performance.now() - startedMs);
  }
}

/** Says in the contents what they wait for; it is gone with the next step that succeeds. */
async function showWaiting(services: WorkerServices, batch: Batch, error: unknown): Promise<void> {
  const reason = error instanceof AppError ? error.message : 'The infrastructure is busy.';
  const message = `${reason.replace(/[;,] try again[^.;]*/, '')} Ingestion waits and goes on by itself.`;
  const { collection_id: collectionId, run_id: runId, content_ids: contentIds } = batch;
  try {
    await services.stores.runs.showWaiting(collectionScope(batch), { collectionId, runId, contentIds }, message);
  } catch (failure) {
    // Postgres itself may be what is away.
    services.log.info(
      { error: failure, workspace_id: batch.workspace_id },
      'what contents wait for could not be shown',
    );
  }
}

/** The run of a batch, for the stores. */
export function runContentsOf(batch: Batch, contentIds: readonly string[] = batch.content_ids) {
  return { collectionId: batch.collection_id, runId: batch.run_id, contentIds };
}
