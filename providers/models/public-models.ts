import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#observability/log.ts';
import { fetchModels, type FetchLimits } from './fetch-models.ts';
import type { ProviderWithModels } from './packaged-models.ts';
import type { PublicProvider } from './public-provider-settings.ts';

/** Public providers of this instance with their last fetched models. Fetched in the background, never by a user's request. */
export type PublicModels = {
  /** Returns a new array after each change. A provider that has not answered yet has no models. */
  current(): readonly ProviderWithModels[];
  /** Fetches all lists once; a provider that fails keeps its last list. */
  refresh(): Promise<void>;
  /** Fetches now and then periodically, until `close`. */
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
/** Pause after a failure; it doubles with each further failure, up to `refreshMs`. */
const FIRST_RETRY_MS = 30_000;
/** Each pause is up to this share shorter or longer, so that processes that started together do not fetch together. */
const JITTER = 0.2;

/** Creates the lists of public models, which `start` refreshes in the background. */
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

  /** Logs neither the address, which may contain a secret, nor the server's response. */
  function warn(error: unknown, { id }: PublicProvider): void {
    const reason = `${id}: ${error instanceof Error ? error.name : 'unknown'}`;
    log.warn(
      { component: 'models', reason },
      'the models of a public provider could not be fetched; its last list stays in use',
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
