import { collectionScope } from '#domain/access/scope.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import type { UploadKey } from '#domain/uploads/ingest-steps.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import { controlRunsOfUpload } from '#operations/uploads/control-upload.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Pauses, resumes or cancels an upload for an operator who sent the signal in the Temporal UI. */
export async function controlUpload(
  services: WorkerServices,
  control: UploadKey & { action: ControlAction },
): Promise<void> {
  const { upload_id: uploadId, action } = control;
  const scope = collectionScope(control);
  const { runs, wakes } = await services.stores.transaction(async (stores) => {
    const changed = await controlRunsOfUpload(stores, scope, { uploadId, action });
    return { runs: changed.runs, wakes: await enqueueWakeUps(stores, scope, changed.workflowIds) };
  });
  sendWakeUps(services, wakes);
  services.log.info(
    { upload_id: uploadId, workspace_id: control.workspace_id, count: runs.length },
    'an operator controlled an upload',
  );
}
