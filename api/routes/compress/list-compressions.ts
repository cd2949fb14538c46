import { z } from 'zod';
import { CompressionList, COMPRESSION_STATUSES } from '#domain/records/compression.ts';
import { listCompressions } from '#operations/compression/list-compressions.ts';
import { newestQuery } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  status: z.enum(COMPRESSION_STATUSES).optional().meta({ description: 'Status of the jobs.' }),
  ...newestQuery(),
});

export const listCompressionsRoute = route(
  {
    method: 'get',
    path: '/compress',
    tag: 'Compress',
    summary: 'List compression jobs',
    description:
      'Lists the jobs of requests with `webhook_url`, newest first, without their results, until they are deleted at `expires_at`. Users see their ' +
      'own jobs, administrators and keys those of the workspace.',
    permission: 'compress:read',
    query: Query,
    response: CompressionList,
    extension: true,
  },
  async ({ services, caller, query }) => listCompressions(services, caller, query),
);
