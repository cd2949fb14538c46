import { z } from 'zod';
import { EMBEDDER_PROVIDERS } from '#domain/embedder.ts';
import { checkReadiness } from '#operations/check-readiness.ts';
import { Reply } from '#api/http/response/reply.ts';
import { requestState } from '#api/http/request/request-state.ts';
import { openRoute } from '#api/http/route.ts';

const DependencyState = z
  .object({
    ok: z.boolean().meta({ description: 'Whether it answers.' }),
    detail: z.string().nullable().meta({ description: 'What does not work without it; null while it answers.' }),
  })
  .meta({ id: 'DependencyState' });

const Readiness = z
  .object({
    status: z.enum(['ok', 'degraded', 'unavailable', 'stopping']).meta({
      description:
        '`degraded`: Weaviate, Temporal or the blob store is unavailable, and requests are still accepted. `unavailable`: Postgres is. ' +
        '`stopping`: the process was told to stop.',
    }),
    dependencies: z
      .object({
        postgres: DependencyState.meta({ description: 'Database; required.' }),
        weaviate: DependencyState.meta({ description: 'Search index.' }),
        temporal: DependencyState.meta({ description: 'Workflows: ingestion and everything that is retried.' }),
        blobs: DependencyState.meta({ description: 'Folder or bucket of uploaded bytes.' }),
      })
      .meta({ description: 'What the service depends on.' }),
    embedder: z.string().meta({ description: 'The embedder of new collections' }),
    embedders: z
      .array(
        z.object({
          name: z.string().meta({
            description: '`default`, `lexical`, or as the settings call it. Collections name it as `embedding.name`.',
          }),
          provider: z.enum(EMBEDDER_PROVIDERS).meta({ description: 'Kind of embedder.' }),
          model: z.string().meta({ description: 'Name of the model.' }),
          dimensions: z.int().meta({ description: 'Length of a vector.' }),
        }),
      )
      .meta({ description: 'The embedders that are configured, the default one first.' }),
    embedder_note: z
      .string()
      .nullable()
      .meta({ description: 'Why this embedder is used instead of the configured one' }),
    reranker: z.string().nullable().meta({ description: 'The reranking model of searches; null without one.' }),
  })
  .meta({ id: 'Readiness' });

export const readyzRoute = openRoute(
  {
    method: 'get',
    path: '/readyz',
    tag: 'Process',
    summary: 'Check that the service is ready',
    description:
      'Without Temporal or Weaviate the status is `degraded`, not `unavailable`: uploads are accepted and ingested later. Search ' +
      'does not need Temporal. Without the blob store, the status is `degraded` as well: uploads and downloads answer 503, and search ' +
      'works. A process that was told to stop is `stopping`: it still answers requests for `LOCI_SHUTDOWN_DELAY_S`, so that a load ' +
      'balancer notices before the process accepts no more connections.',
    permission: null,
    response: Readiness,
    otherStatuses: { 503: 'Postgres does not answer or has not been migrated, or the process was told to stop' },
    extension: true,
    isAtRoot: true,
  },
  async ({ services, context }) => {
    const { ready, dependencies, ...models } = await checkReadiness(services);
    const areAllOk = Object.values(dependencies).every(({ ok }) => ok);
    const { isStopping } = requestState(context);
    const status = isStopping ? 'stopping' : !ready ? 'unavailable' : areAllOk ? 'ok' : 'degraded';
    const isReady = ready && !isStopping;
    return Reply.json({ status, dependencies, ...models } as const, { status: isReady ? 200 : 503 });
  },
);
