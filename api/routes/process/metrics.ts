import { Readable } from 'node:stream';
import { z } from 'zod';
import { Reply } from '#api/http/response/reply.ts';
import { openRoute } from '#api/http/route.ts';

export const metricsRoute = openRoute(
  {
    method: 'get',
    path: '/metrics',
    tag: 'Process',
    summary: 'Get metrics for Prometheus',
    permission: null,
    response: z.string(),
    responseType: 'text/plain',
    extension: true,
    isAtRoot: true,
  },
  async ({ services }) =>
    Reply.stream(Readable.from([await services.metrics.render()], { objectMode: false }), {
      mediaType: services.metrics.contentType,
    }),
);
