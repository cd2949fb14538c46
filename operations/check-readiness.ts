import type { Services } from './services.ts';

export type DependencyState = { ok: boolean; detail: string | null };

export type Readiness = {
  ready: boolean;
  dependencies: { postgres: DependencyState; weaviate: DependencyState; temporal: DependencyState };
  embedder: string;
  embedder_note: string | null;
};

/**
 * Asks every dependency. Without Temporal the service stays ready, for uploads are taken and ingested later and search
 * goes on; without Postgres or Weaviate it is not.
 */
export async function checkReadiness(services: Services): Promise<Readiness> {
  const [postgres, weaviate, temporal] = await Promise.all([
    stateOf(services.stores.system.ping(), 'Postgres does not answer.'),
    stateOf(services.vectors.ready(), 'Weaviate does not answer.'),
    stateOf(services.jobs.ping(), 'Temporal does not answer; uploads are taken and ingested when it is back.'),
  ]);
  return {
    ready: postgres.ok && weaviate.ok,
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
