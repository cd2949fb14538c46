import { CompressionJob } from '#domain/records/compression.ts';
import { cancelCompression } from '#operations/compression/get-compression.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { CompressParams } from '#api/routes/path-params.ts';

export const cancelCompressionRoute = route(
  {
    method: 'post',
    path: '/compress/{job_id}/cancel',
    tag: 'Compress',
    summary: 'Cancel a compress job',
    permission: 'compress:write',
    params: CompressParams,
    response: CompressionJob,
    extension: true,
    idempotent: true,
    otherStatuses: { 409: 'The job is over' },
  },
  async ({ services, caller, params, idempotency }) => {
    const { status, body } = await cancelCompression(services, caller, { id: params.job_id, idempotency });
    return Reply.json(body, { status });
  },
);
