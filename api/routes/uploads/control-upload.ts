import { UploadProgress } from '#domain/records/upload.ts';
import { controlUpload } from '#operations/uploads/control-upload.ts';
import { route } from '#api/http/route.ts';
import { UploadParams } from '#api/routes/path-params.ts';

export const pauseUploadRoute = controlRoute('pause', 'Pause everything of an upload that is under way');
export const resumeUploadRoute = controlRoute('resume', 'Resume what was paused of an upload');
export const cancelUploadRoute = controlRoute('cancel', 'Cancel what is not done of an upload');

function controlRoute(action: 'pause' | 'resume' | 'cancel', summary: string) {
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
