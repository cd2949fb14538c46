import { z } from 'zod';
import { UploadProgress } from '#domain/records/upload.ts';
import { CONTENT_STATUSES } from '#domain/statuses.ts';
import { getUpload } from '#operations/uploads/get-upload.ts';
import { CursorQueryField, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';
import { UploadParams } from '#api/routes/path-params.ts';

const Query = z.object({
  limit: queryInteger({ min: 1, max: 1000 }).default(100).meta({ description: 'Page size of the manifest' }),
  content_status: z.enum(CONTENT_STATUSES).optional().meta({ description: 'Status of the contents in the manifest.' }),
  cursor: CursorQueryField,
});

export const getUploadRoute = route(
  {
    method: 'get',
    path: '/uploads/{upload_id}',
    tag: 'Uploads',
    summary: 'Get the progress and manifest of an upload',
    permission: 'uploads:read',
    params: UploadParams,
    query: Query,
    response: UploadProgress,
    extension: true,
  },
  async ({ services, caller, params, query }) => getUpload(services, caller, { uploadId: params.upload_id, ...query }),
);
