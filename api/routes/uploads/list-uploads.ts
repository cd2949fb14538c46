import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { UploadList } from '#domain/records/uploads/upload-list.ts';
import { UPLOAD_STATUSES } from '#domain/statuses.ts';
import { listUploads } from '#operations/uploads/list-uploads.ts';
import { newestQuery } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional().meta({ description: 'Collection of the uploads.' }),
  status: z.enum(UPLOAD_STATUSES).optional().meta({
    description:
      'Status of the uploads. It follows from their contents, so a page may have fewer than `limit` while `has_more` is true, and none when 10,000 uploads in a row have another status.',
  }),
  ...newestQuery(),
});

export const listUploadsRoute = route(
  {
    method: 'get',
    path: '/uploads',
    tag: 'Uploads',
    summary: 'List uploads',
    description:
      'Lists uploads with their status and progress, newest first. `GET /uploads/{upload_id}` has the contents, crawls and rejected items of one.',
    permission: 'uploads:read',
    query: Query,
    response: UploadList,
    extension: true,
  },
  async ({ services, caller, query }) => listUploads(services, caller, query),
);
