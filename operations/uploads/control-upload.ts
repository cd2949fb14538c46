import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import type { UploadProgress } from '#domain/records/upload.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import type { ChangedRun } from '#store/uploads/change-runs.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import { getUpload, uploadNotFound } from './get-upload.ts';
import type { Services } from '#operations/services.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

export type UploadControl = { uploadId: string; action: ControlAction; idempotency: Idempotency | null };

const MANIFEST_PAGE_SIZE = 100;

/** Pauses, resumes or cancels the contents and crawls of an upload that are in progress. @throws AppError `not_found`. */
export async function controlUpload(
  services: Services,
  caller: Caller,
  control: UploadControl,
): Promise<UploadProgress> {
  const { uploadId, action, idempotency } = control;
  let wakes: WakeUp[] = [];
  const { body } = await withIdempotency<UploadProgress>(services, caller, {
    route: `POST /uploads/{upload_id}/${action}`,
    idempotency,
    effect: async (stores) => {
      const upload = await stores.uploads.find(caller.scope, uploadId);
      if (!upload) throw uploadNotFound();
      const { workflowIds } = await controlRunsOfUpload(stores, caller.scope, { uploadId, action });
      wakes = await enqueueWakeUps(stores, caller.scope, [upload.workflow_id, ...workflowIds]);
      const page = { uploadId, limit: MANIFEST_PAGE_SIZE };
      return { status: 200, body: await getUpload({ ...services, stores }, caller, page) };
    },
  });
  sendWakeUps(services, wakes);
  return body;
}

/** Pauses, resumes or cancels the crawls and runs of an upload. Returns the changed runs and the workflows that must be woken. */
export async function controlRunsOfUpload(
  stores: Stores,
  scope: Scope,
  { uploadId, action }: { uploadId: string; action: ControlAction },
): Promise<{ runs: ChangedRun[]; workflowIds: (string | null)[] }> {
  const crawlIds = await stores.crawls.control(scope, { uploadId }, action);
  const runs = await stores.runControl.control(scope, { uploadId }, action);
  return { runs, workflowIds: [...crawlIds.map(crawlWorkflowId), ...runs.map((run) => run.workflow_id)] };
}
