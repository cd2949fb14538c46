import { REMOVAL_DELAYS_MS } from '#domain/removal-delays.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 20;

/**
 * Drops tenants of deleted collections again, for a day: a worker that stalls before the deletion and resumes after it may create a
 * tenant again when it writes. Returns the number of tenants that were processed.
 */
export async function sweepDroppedTenants({ stores, vectors, log }: Services): Promise<number> {
  const due = await stores.droppedTenants.claimDue(BATCH_SIZE, REMOVAL_DELAYS_MS);
  for (const dropped of due) {
    const { tenant, passes, workspace_id, provider, model, model_hash, dimensions } = dropped;
    try {
      await vectors.dropTenant({ provider, model, model_hash, dimensions }, tenant);
      if (passes > REMOVAL_DELAYS_MS.length) await stores.droppedTenants.delete(dropped);
    } catch (error) {
      log.warn(
        { error, workspace_id },
        'a tenant of a deleted collection could not be dropped; the next pass retries it',
      );
    }
  }
  return due.length;
}
