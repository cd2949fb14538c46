import type { EmbeddingSpace } from '#domain/embedder.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { Services } from '#operations/services.ts';
import type { IdleTenant } from '#store/index/tenant-activity.ts';

/** Weaviate accepts at most 100 in one request. */
const BATCH_SIZE = 100;
const MATCHED_COLLECTIONS = 5_000;

/**
 * Takes tenants out of the memory of Weaviate that nobody has used for the idle time. Their next use activates them. They are marked
 * afterwards: after a crash in between, they are deactivated once more. Returns their number.
 */
export async function deactivateIdleTenants(services: Services): Promise<number> {
  const { stores, vectors, metrics, tenantIdleMs } = services;
  if (tenantIdleMs === null) return 0;
  const idle = await stores.tenantActivity.findIdle(tenantIdleMs, BATCH_SIZE);
  let count = 0;
  for (const tenants of bySpace(idle)) {
    const [{ provider, model, model_hash, dimensions }] = tenants;
    const space: EmbeddingSpace = { provider, model, model_hash, dimensions };
    const names = tenants.map(({ tenant }) => tenant);
    const inUse = new Set(await vectors.deactivateTenants(space, names));
    const deactivated = tenants.filter(({ tenant }) => !inUse.has(tenant));
    await stores.tenantActivity.markDeactivated(deactivated);
    // Otherwise these would be the first again, and others would never have their turn.
    const used = tenants.filter(({ tenant }) => inUse.has(tenant));
    if (used.length > 0) await stores.tenantActivity.recordUses(used, 0);
    count += deactivated.length;
  }
  metrics.countDeactivatedTenants(count);
  // Counting reads all rows, so it waits until the last batch.
  if (idle.length < BATCH_SIZE) metrics.setTenants(await stores.tenantActivity.count());
  return count;
}

/** Begins to watch the tenants of collections that were created before uses were recorded, and forgets deleted ones. */
export async function watchTenants({ stores, tenantIdleMs }: Services): Promise<void> {
  if (tenantIdleMs !== null) await stores.tenantActivity.matchCollections(MATCHED_COLLECTIONS);
}

function bySpace(tenants: readonly IdleTenant[]): [IdleTenant, ...IdleTenant[]][] {
  const groups = new Map<string, [IdleTenant, ...IdleTenant[]]>();
  for (const tenant of tenants) {
    const key = serializeSpace(tenant);
    const group = groups.get(key);
    if (group) group.push(tenant);
    else groups.set(key, [tenant]);
  }
  return [...groups.values()];
}
