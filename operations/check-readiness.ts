import { AppError } from '#domain/app-error.ts';
import type { EmbedderProvider } from '#domain/embedder.ts';
import type { Services } from './services.ts';

export type DependencyState = { ok: boolean; detail: string | null };

export type Readiness = {
  ready: boolean;
  dependencies: {
    postgres: DependencyState;
    weaviate: DependencyState;
    temporal: DependencyState;
    blobs: DependencyState;
  };
  embedder: string;
  embedders: { name: string; provider: EmbedderProvider; model: string; dimensions: number }[];
  embedder_note: string | null;
  reranker: string | null;
};

/**
 * Checks every dependency. Only Postgres is required to be ready. Without Temporal, uploads are accepted and ingested later,
 * and search works; without Weaviate, search returns 503, but uploads are accepted; without the blob store, uploads return 503, but
 * search works. None of them takes the API out of rotation.
 */
export async function checkReadiness(services: Services): Promise<Readiness> {
  const [postgres, weaviate, temporal, blobs] = await Promise.all([
    // Its errors say whether it does not answer or lacks the schema.
    stateOf(services.stores.system.ping(), (error) =>
      error instanceof AppError ? error.message : 'Postgres does not answer.',
    ),
    stateOf(
      services.vectors.ready(),
      'Weaviate does not answer; search is unavailable, uploads are accepted and ingested when it is back.',
    ),
    stateOf(services.jobs.ping(), 'Temporal does not answer; uploads are accepted and ingested when it is back.'),
    stateOf(
      services.blobs.ping(),
      'The blob store does not answer or refuses the server; uploads and downloads are unavailable, search works.',
    ),
  ]);
  return {
    ready: postgres.ok,
    dependencies: { postgres, weaviate, temporal, blobs },
    embedder: services.instance.embedder,
    embedders: services.embedders.all.map(({ name, embedder }) => {
      const { provider, model, dimensions } = embedder.space;
      return { name, provider, model, dimensions };
    }),
    embedder_note: services.instance.embedderNote,
    reranker: services.reranker?.name ?? null,
  };
}

async function stateOf(
  check: Promise<unknown>,
  detail: string | ((error: unknown) => string),
): Promise<DependencyState> {
  try {
    await check;
    return { ok: true, detail: null };
  } catch (error) {
    return { ok: false, detail: typeof detail === 'string' ? detail : detail(error) };
  }
}
