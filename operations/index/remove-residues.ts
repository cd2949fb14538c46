import { residualVersions } from '#domain/contents/residual-versions.ts';
import { REMOVAL_DELAYS_MS } from '#domain/removal-delays.ts';
import type { Residue } from '#store/index/residue-system.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 20;
const BATCH_ROWS = 2_000;
/** The deletion of a large archive or collection makes as many residues wait as it has contents. */
const POSTPONED_AT_ONCE = 500;

/** When a pass that failed or crashed is repeated. A slow one may still run then: two at a time do no harm. */
const LEASE_MS = 60_000;

/**
 * Removes chunk rows and index objects of versions that are no longer needed. Returns the number of residues that were processed
 * or postponed: if there were any, more may be due.
 * @throws the last error when none could be removed, so that a loop pauses.
 */
export async function removeResidues(services: Services): Promise<number> {
  const { system } = services.stores;
  const due = await system.claimDueResidues(BATCH_SIZE, LEASE_MS);
  let passed = 0;
  let failure: unknown = null;
  for (const residue of due) {
    try {
      await removeResidue(services, residue);
      // One by one: with a slow index, the lease of the last ones ends before all have passed, and another worker repeats them.
      await system.completeResiduePass(residue, REMOVAL_DELAYS_MS);
      passed += 1;
    } catch (error) {
      failure = error;
      const { content_id, workspace_id } = residue;
      services.log.warn({ error, content_id, workspace_id }, 'a residue could not be removed; the pass is repeated');
    }
  }
  if (passed === 0 && failure !== null) throw failure;
  if (due.length === BATCH_SIZE) return due.length;
  return due.length + (await system.postponeDeleting(POSTPONED_AT_ONCE));
}

async function removeResidue(services: Services, residue: Residue): Promise<void> {
  const scope = { workspaceId: residue.workspace_id, collectionIds: [residue.collection_id] };
  const key = { contentId: residue.content_id, collectionId: residue.collection_id };
  const generations = await services.stores.generations.list(scope, residue.collection_id);
  const { live_versions: keep, max_version: maxVersion } = residue;
  for (const { space, tenant } of generations) {
    const range = maxVersion === null ? {} : { versions: residualVersions(keep, maxVersion) };
    await services.vectors.deleteContent(space, tenant, { contentId: key.contentId, ...range });
  }
  for (let removed = BATCH_ROWS; removed === BATCH_ROWS;) {
    removed = await services.stores.chunks.deleteVersions(scope, key, { keep, maxVersion, limit: BATCH_ROWS });
  }
}
