import type { Services } from '#operations/services.ts';

/**
 * Delays between the passes that drop the tenants of deleted collections again. A worker that stalls before the deletion and
 * resumes after it may create a tenant again when it writes.
 */
const PASS_DELAYS_MS = [15, 60, 300, 1_800, 21_600, 86_400].map((seconds) => seconds * 1_000);
const BATCH_SIZE = 20;

/** Drops tenants of deleted collections again, for a day. Returns the number of tenants that were processed. */
export async function sweepDroppedTenants({ stores, vectors, log }: Services): Promise<number> {
  const due = await stores.droppedTenants.claimDue(BATCH_SIZE, PASS_DELAYS_MS);
  for (const dropped of due) {
    const { tenant, passes, workspace_id, provider, model, model_hash, dimensions } = dropped;
    try {
      await vectors.dropTenant({ provider, model, model_hash, dimensions }, tenant);
      if (passes > PASS_DELAYS_MS.length) await stores.droppedTenants.delete(dropped);
    } catch (error) {
      log.warn(
        { error, workspace_id },
        'a tenant of a deleted collection could not be dropped; the next pass retries it',
      );
    }
  }
  return due.length;
}
