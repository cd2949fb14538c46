import type { Services } from '#operations/services.ts';

/**
 * Waits between the passes over the tenants of deleted collections. A worker that stalled before the deletion, and wakes up
 * after it, may bring a tenant back with what it was about to write.
 */
const PASS_DELAYS_MS = [15, 60, 300, 1_800, 21_600, 86_400].map((seconds) => seconds * 1_000);
const BATCH_SIZE = 20;

/** Drops tenants of deleted collections once more, for a day. Returns how many were looked at. */
export async function sweepDroppedTenants({ stores, vectors, log }: Services): Promise<number> {
  const due = await stores.droppedTenants.claimDue(BATCH_SIZE, PASS_DELAYS_MS);
  for (const dropped of due) {
    const { tenant, passes, workspace_id, provider, model, model_hash, dimensions } = dropped;
    try {
      await vectors.dropTenant({ provider, model, model_hash, dimensions }, tenant);
      if (passes > PASS_DELAYS_MS.length) await stores.droppedTenants.delete(dropped);
    } catch (error) {
      log.warn({ error, workspace_id }, 'the index of a deleted collection is looked for again in the next pass');
    }
  }
  return due.length;
}
