import type { Caller } from '../domain/caller.ts';
import type { UploadProgress } from '../domain/records/upload.ts';
import { getUpload, uploadNotFound } from './get-upload.ts';
import type { Services } from './services.ts';
import { wakeJobs } from './start-jobs.ts';

export type UploadControl = { uploadId: string; action: 'pause' | 'resume' | 'cancel' };

const MANIFEST_LIMIT = 100;

/** Pauses, resumes or cancels everything of an upload that is under way. @throws AppError `not_found`. */
export async function controlUpload(
  services: Services,
  caller: Caller,
  control: UploadControl,
): Promise<UploadProgress> {
  const { uploadId, action } = control;
  const upload = await services.stores.uploads.find(caller.scope, uploadId);
  if (!upload) throw uploadNotFound();
  const { runControl } = services.stores;
  const changed =
    action === 'cancel'
      ? await runControl.cancel(caller.scope, { uploadId })
      : await runControl.setPaused(caller.scope, { uploadId }, action === 'pause');
  wakeJobs(services, [upload.workflow_id, ...changed.map((run) => run.workflow_id)]);
  return getUpload(services, caller, { uploadId, limit: MANIFEST_LIMIT });
}
