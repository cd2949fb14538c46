import { REMOVAL_DELAYS_MS } from '#domain/removal-delays.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 20;
/** When a pass that failed or crashed is repeated. */
const LEASE_MS = 60_000;

/**
 * Drops tenants of deleted collections again, for a day: a worker that stalls before the deletion and resumes after it may create a
 * tenant again when it writes. Returns the number of tenants that were processed.
 * @throws the last error when none could be dropped, so that a loop pauses.
 */
export async function sweepDroppedTenants({ stores, vectors, log }: Services): Promise<number> {
  const due = await stores.droppedTenants.claimDue(BATCH_SIZE, LEASE_MS);
  let failures = 0;
  let failure: unknown = null;
  for (const dropped of due) {
    const { tenant, workspace_id, provider, model, model_hash, dimensions } = dropped;
    try {
      await vectors.dropTenant({ provider, model, model_hash, dimensions }, tenant);
      await stores.droppedTenants.completePass(dropped, REMOVAL_DELAYS_MS);
    } catch (error) {
      failures += 1;
      failure = error;
      log.warn({ error, workspace_id }, 'a tenant of a deleted collection could not be dropped; the pass is repeated');
    }
  }
  if (failure !== null && failures === due.length) throw failure;
  return due.length;
}
