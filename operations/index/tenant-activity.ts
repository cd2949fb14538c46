import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';
import type { Stores } from '#store/stores.ts';
import type { VectorIndex } from '#store/weaviate/vector-index.ts';

/** Records in Postgres which tenants of the index this process uses. */
export type TenantActivity = {
  /** Writes the uses since the last time. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const FLUSH_INTERVAL_MS = 10_000;
/** Rows of tenants in use are this much older than the last use at most, as a share of the idle time. */
const PRECISION = 0.1;

/**
 * Starts the record; `idleMs` null keeps none. A process that is killed loses the uses of the last seconds: a tenant may then be
 * deactivated a little early, and its next use activates it.
 */
export function createTenantActivity(options: {
  vectors: VectorIndex;
  stores: Stores;
  metrics: Metrics;
  log: Log;
  idleMs: number | null;
}): TenantActivity {
  const { vectors, stores, metrics, log, idleMs } = options;
  const flush = async () => {
    const uses = vectors.takeUses();
    if (idleMs === null || uses.length === 0) return;
    try {
      const tenants = uses.map(({ space, tenant }) => ({ tenant, ...space }));
      const activated = await stores.tenantActivity.recordUses(tenants, idleMs * PRECISION);
      for (const { tenant, model_hash } of activated) {
        const use = uses.find((one) => one.tenant === tenant && one.space.model_hash === model_hash);
        if (use) metrics.observeTenantActivation(use.firstMs);
      }
    } catch (error) {
      log.warn({ error }, 'uses of the search index could not be recorded; idle collections may be deactivated early');
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS);
  timer.unref();
  return {
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
