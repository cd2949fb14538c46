import type { Services } from './services.ts';

export type DependencyState = { ok: boolean; detail: string | null };

export type Readiness = {
  ready: boolean;
  dependencies: { postgres: DependencyState; weaviate: DependencyState; temporal: DependencyState };
  embedder: string;
  embedder_note: string | null;
};

/**
 * Checks every dependency. Only Postgres is required to be ready. Without Temporal, uploads are accepted and ingested later,
 * and search works; without Weaviate, search returns 503, but uploads are accepted. Neither takes the API out of rotation.
 */
export async function checkReadiness(services: Services): Promise<Readiness> {
  const [postgres, weaviate, temporal] = await Promise.all([
    stateOf(services.stores.system.ping(), 'Postgres does not answer.'),
    stateOf(
      services.vectors.ready(),
      'Weaviate does not answer; search is unavailable, uploads are accepted and ingested when it is back.',
    ),
    stateOf(services.jobs.ping(), 'Temporal does not answer; uploads are accepted and ingested when it is back.'),
  ]);
  return {
    ready: postgres.ok,
    dependencies: { postgres, weaviate, temporal },
    embedder: services.instance.embedder,
    embedder_note: services.instance.embedderNote,
  };
}

async function stateOf(check: Promise<unknown>, detail: string): Promise<DependencyState> {
  try {
    await check;
    return { ok: true, detail: null };
  } catch {
    return { ok: false, detail };
  }
}
