import type { Caller } from '#domain/access/caller.ts';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import type { UploadProgress } from '#domain/records/upload.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import { getUpload, uploadNotFound } from './get-upload.ts';
import type { Services } from '#operations/services.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

export type UploadControl = {
  uploadId: string;
  action: 'pause' | 'resume' | 'cancel';
  idempotency: Idempotency | null;
};

const MANIFEST_LIMIT = 100;

/** Pauses, resumes or cancels everything of an upload that is under way. @throws AppError `not_found`. */
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
      const crawls = await stores.crawls.control(caller.scope, { uploadId }, action);
      const changed =
        action === 'cancel'
          ? await stores.runControl.cancel(caller.scope, { uploadId })
          : await stores.runControl.setPaused(caller.scope, { uploadId }, action === 'pause');
      wakes = await enqueueWakeUps(stores, caller.scope, [
        upload.workflow_id,
        ...crawls.map(crawlWorkflowId),
        ...changed.map((run) => run.workflow_id),
      ]);
      const progress = await getUpload({ ...services, stores }, caller, { uploadId, limit: MANIFEST_LIMIT });
      return { status: 200, body: progress };
    },
  });
  sendWakeUps(services, wakes);
  return body;
}
