import { CompressionJob } from '#domain/records/compression.ts';
import { getCompression } from '#operations/compression/get-compression.ts';
import { route } from '#api/http/route.ts';
import { CompressParams } from '#api/routes/path-params.ts';

export const getCompressionRoute = route(
  {
    method: 'get',
    path: '/compress/{job_id}',
    tag: 'Compress',
    summary: 'Get a compress job',
    description: '`content` is there once `status` is `completed`. The job is gone at `expires_at`, with its text.',
    permission: 'compress:read',
    params: CompressParams,
    response: CompressionJob,
    extension: true,
  },
  async ({ services, caller, params }) => getCompression(services, caller, params.job_id),
);
