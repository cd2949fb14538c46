import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { ingestBatchJob, type ControlAction } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Content } from '#domain/records/content.ts';
import type { RunState } from '#store/uploads/run-control.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import { contentNotFound } from './contents.ts';
import { collectionArchived } from '#operations/collections/update-collection.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

export type ContentControl = {
  contentId: string;
  action: ControlAction | 'retry';
  idempotency: Idempotency | null;
};

/**
 * Pauses, resumes, cancels or retries the ingestion of a content in the collections in scope. Pause, resume and cancel apply
 * to its archive entries too; a retry extracts them again. Requesting the current state changes nothing.
 * @throws AppError `not_found`; `conflict` when the status of the content does not permit the action.
 */
export async function controlContent(services: Services, caller: Caller, control: ContentControl): Promise<Content> {
  const { contentId, action, idempotency } = control;
  let jobs: JobStart[] = [];
  let wakes: WakeUp[] = [];
  const { body } = await withIdempotency<Content>(services, caller, {
    route: `POST /contents/{content_id}/${action}`,
    idempotency,
    effect: async (stores) => {
      const tree = await stores.entries.lockTree(caller.scope, contentId);
      const runs = await stores.runControl.lock(caller.scope, contentId);
      if (runs.length === 0) throw contentNotFound();
      if (runs.some((run) => run.stage === 'deleting')) throw new AppError('conflict', 'The content is being deleted.');
      if (action === 'retry') jobs = await retry(stores, caller, runs);
      else wakes = await pauseResumeOrCancel(stores, caller, { tree, action, runs });
      const content = await stores.contents.find(caller.scope, contentId);
      if (!content) throw contentNotFound();
      return { status: 200, body: content };
    },
  });
  startWorkflows(services, jobs);
  sendWakeUps(services, wakes);
  return body;
}

async function retry(stores: Stores, caller: Caller, runs: readonly RunState[]): Promise<JobStart[]> {
  const jobs: JobStart[] = [];
  for (const run of runs) {
    if (run.stage !== 'failed' && run.stage !== 'cancelled') continue;
    if (run.collection_status === 'archived') throw collectionArchived();
    jobs.push(await restartContent(stores, caller, run));
  }
  if (jobs.length === 0) {
    throw new AppError(
      'conflict',
      `Only a content whose run failed or was cancelled can be retried; the run of this one is ${runs[0]?.stage ?? 'deleted'}.`,
    );
  }
  return jobs;
}

/** Starts a new run of one content and writes its job to the outbox. Its URL is downloaded again unless `downloads` is false. */
export async function restartContent(
  stores: Stores,
  caller: Caller,
  run: { content_id: string; collection_id: string; reader?: string; reread?: boolean; downloads?: boolean },
): Promise<JobStart> {
  const runId = uuidv7();
  const job = ingestBatchJob({
    workspace_id: caller.scope.workspaceId,
    collection_id: run.collection_id,
    run_id: runId,
    content_ids: [run.content_id],
    upload_id: null,
    downloads: run.downloads ?? true,
  });
  await stores.runControl.restart(caller.scope, run.collection_id, {
    contentIds: [run.content_id],
    runId,
    workflowId: job.workflow_id,
    stage: 'pending',
    reader: run.reader,
    reread: run.reread,
  });
  await stores.outbox.add(caller.scope, [job]);
  return job;
}

async function pauseResumeOrCancel(
  stores: Stores,
  caller: Caller,
  control: { tree: readonly string[]; action: ControlAction; runs: readonly RunState[] },
): Promise<WakeUp[]> {
  const { tree, action, runs } = control;
  const target = { contentIds: tree };
  const changed = await stores.runControl.control(caller.scope, target, action);
  if (changed.length === 0 && !(await stores.runControl.hasControlled(caller.scope, target, action))) {
    throw new AppError(
      'conflict',
      `There is nothing to ${action}: the status of the content is ${runs[0]?.stage ?? 'deleted'}.`,
    );
  }
  return enqueueWakeUps(
    stores,
    caller.scope,
    changed.map((run) => run.workflow_id),
  );
}
