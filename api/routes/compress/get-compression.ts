import { CompressionJob } from '#domain/records/compression.ts';
import { getCompression } from '#operations/compression/get-compression.ts';
import { route } from '#api/http/route.ts';
import { CompressParams } from '#api/routes/path-params.ts';

export const getCompressionRoute = route(
  {
    method: 'get',
    path: '/compress/{job_id}',
    tag: 'Compress',
    summary: 'Get a compression job',
    description: '`content` is set when `status` is `completed`. The job and its text are deleted at `expires_at`.',
    permission: 'compress:read',
    params: CompressParams,
    response: CompressionJob,
    extension: true,
  },
  async ({ services, caller, params }) => getCompression(services, caller, params.job_id),
);
