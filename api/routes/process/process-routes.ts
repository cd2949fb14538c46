import { z } from 'zod';
import { checkReadiness } from '#operations/check-readiness.ts';
import { Reply } from '#api/http/response/reply.ts';
import { openRoute, type RouteData } from '#api/http/route.ts';
import { Readable } from 'node:stream';

const Live = z.object({ status: z.literal('ok') });

const DependencyState = z.object({ ok: z.boolean(), detail: z.string().nullable() });

const Ready = z
  .object({
    status: z.enum(['ok', 'degraded', 'unavailable']),
    dependencies: z.object({ postgres: DependencyState, weaviate: DependencyState, temporal: DependencyState }),
    embedder: z.string().meta({ description: 'The embedder of new collections' }),
    embedder_note: z
      .string()
      .nullable()
      .meta({ description: 'Why this embedder is used instead of the configured one' }),
  })
  .meta({ id: 'Readiness' });

const process = {
  method: 'get',
  tag: 'Process',
  permission: null,
  extension: true,
  isAtRoot: true,
} as const satisfies Partial<RouteData>;

export const livezRoute = openRoute(
  { ...process, path: '/livez', summary: 'Check that the process is running', response: Live },
  async () => ({ status: 'ok' as const }),
);

export const readyzRoute = openRoute(
  {
    ...process,
    path: '/readyz',
    summary: 'Check that the service is ready',
    description:
      'Without Temporal or Weaviate the status is `degraded`, not `unavailable`: uploads are accepted and ingested later. Search ' +
      'does not need Temporal.',
    response: Ready,
    otherStatuses: { 503: 'Postgres does not answer' },
  },
  async ({ services }) => {
    const { ready, dependencies, embedder, embedder_note } = await checkReadiness(services);
    const isWhole = Object.values(dependencies).every(({ ok }) => ok);
    const status = !ready ? 'unavailable' : isWhole ? 'ok' : 'degraded';
    return Reply.json({ status, dependencies, embedder, embedder_note } as const, { status: ready ? 200 : 503 });
  },
);

export const metricsRoute = openRoute(
  {
    ...process,
    path: '/metrics',
    summary: 'Get metrics for Prometheus',
    response: z.string(),
    responseType: 'text/plain',
  },
  async ({ services }) =>
    Reply.stream(Readable.from([await services.metrics.render()], { objectMode: false }), {
      mediaType: services.metrics.contentType,
    }),
);
