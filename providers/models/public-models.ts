import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#observability/log.ts';
import { fetchModels, type FetchLimits } from './fetch-models.ts';
import type { ProviderWithModels } from './packaged-models.ts';
import type { PublicProvider } from './public-provider-settings.ts';

/** Providers of this instance, with the models that they had when they were last asked. Nobody's question asks them. */
export type PublicModels = {
  /** Another array when something changed. A provider that never answered has no models yet. */
  current(): readonly ProviderWithModels[];
  /** Asks all of them once; those that fail keep what they had. */
  refresh(): Promise<void>;
  /** Asks now, and then again and again until `close`. */
  start(): void;
  close(): Promise<void>;
};

export type PublicModelsOptions = {
  providers: readonly PublicProvider[];
  refreshMs: number;
  log: Log;
  limits?: FetchLimits;
};

const LIMITS: FetchLimits = { timeoutMs: 15_000, maxBytes: 4 * 1024 * 1024, maxModels: 5_000 };
/** While one of them fails it is asked earlier: from this on twice as long each time, up to the usual pause. */
const FIRST_RETRY_MS = 30_000;
/** Processes that started together ask apart: each pause is up to a fifth shorter or longer. */
const JITTER = 0.2;

/** Keeps the lists of providers fresh in the background. */
export function createPublicModels({ providers, refreshMs, log, limits = LIMITS }: PublicModelsOptions): PublicModels {
  const stopping = new AbortController();
  let known: readonly ProviderWithModels[] = providers.map(({ id, name, documentation_url: url }) => ({
    id,
    name: name ?? id,
    documentation_url: url ?? null,
    models: [],
  }));
  let failures = 0;
  let running: Promise<void> = Promise.resolve();

  async function refresh(): Promise<void> {
    const asked = await Promise.all(
      providers.map(async (provider) => {
        try {
          return { id: provider.id, models: await fetchModels(provider, limits, stopping.signal) };
        } catch (error) {
          if (!stopping.signal.aborted) warn(error, provider);
          return null;
        }
      }),
    );
    const answered = new Map(asked.flatMap((one) => (one === null ? [] : [[one.id, one.models] as const])));
    failures = answered.size < providers.length ? failures + 1 : 0;
    known = known.map((provider) => ({ ...provider, models: answered.get(provider.id) ?? provider.models }));
  }

  /** Neither the address, which may hold a secret, nor what the server said. */
  function warn(error: unknown, { id }: PublicProvider): void {
    const reason = `${id}: ${error instanceof Error ? error.name : 'unknown'}`;
    log.warn(
      { component: 'models', reason },
      'the models of a public provider could not be listed; the last list stays',
    );
  }

  async function keepFresh(): Promise<void> {
    while (!stopping.signal.aborted) {
      await refresh();
      const pauseMs = failures === 0 ? refreshMs : Math.min(refreshMs, FIRST_RETRY_MS * 2 ** (failures - 1));
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      await delay(pauseMs * jitter, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    current: () => known,
    refresh,
    start: () => {
      if (providers.length > 0) running = keepFresh();
    },
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
