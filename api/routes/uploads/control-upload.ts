import { UploadProgress } from '#domain/records/upload.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { controlUpload } from '#operations/uploads/control-upload.ts';
import { route } from '#api/http/route.ts';
import { UploadParams } from '#api/routes/path-params.ts';

export const pauseUploadRoute = controlUploadRoute('pause', 'Pause the unfinished contents and crawls of an upload');
export const resumeUploadRoute = controlUploadRoute('resume', 'Resume the paused contents and crawls of an upload');
export const cancelUploadRoute = controlUploadRoute('cancel', 'Cancel the unfinished contents and crawls of an upload');

function controlUploadRoute(action: ControlAction, summary: string) {
  return route(
    {
      method: 'post',
      path: `/uploads/{upload_id}/${action}`,
      tag: 'Uploads',
      summary,
      permission: 'uploads:write',
      params: UploadParams,
      response: UploadProgress,
      extension: true,
      idempotent: true,
    },
    async ({ services, caller, params, idempotency }) =>
      controlUpload(services, caller, { uploadId: params.upload_id, action, idempotency }),
  );
}
