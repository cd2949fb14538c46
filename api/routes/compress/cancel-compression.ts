import { CompressionJob } from '#domain/records/compression.ts';
import { cancelCompression } from '#operations/compression/cancel-compression.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { CompressParams } from '#api/routes/path-params.ts';

export const cancelCompressionRoute = route(
  {
    method: 'post',
    path: '/compress/{job_id}/cancel',
    tag: 'Compress',
    summary: 'Cancel a compression job',
    permission: 'compress:write',
    params: CompressParams,
    response: CompressionJob,
    extension: true,
    idempotent: true,
    otherStatuses: { 409: 'The job has already ended' },
  },
  async ({ services, caller, params, idempotency }) => {
    const { status, body } = await cancelCompression(services, caller, { id: params.job_id, idempotency });
    return Reply.json(body, { status });
  },
);
