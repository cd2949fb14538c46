import { memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import { REMOVAL_DELAYS_MS } from '#domain/removal-delays.ts';
import type { MemoryResidue } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';

/** When a removal that failed or crashed is repeated. A slow one may still run then: two at a time do no harm. */
const REMOVAL_LEASE_MS = 15_000;
const BATCH_SIZE = 100;

/**
 * Removes the index objects of deleted memories and returns the number of memories processed. One workspace whose objects cannot be
 * removed does not hold up the others.
 * @throws when nothing could be removed: the index is unavailable.
 */
export async function removeMemoryResidues(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const due = await memoryProjections.claimDueResidues(BATCH_SIZE, REMOVAL_LEASE_MS);
  const placeOf = ({ workspace_id, spaces }: MemoryResidue) => JSON.stringify([workspace_id, spaces]);
  const groups = Map.groupBy(due, placeOf);
  const failures: unknown[] = [];
  for (const residues of groups.values()) {
    const memory_ids = residues.map((residue) => residue.memory_id);
    const [place] = residues;
    try {
      if (place) await removeMemoryObjects(services, { ...place, memory_ids });
      await memoryProjections.completePasses(residues, REMOVAL_DELAYS_MS);
    } catch (error) {
      failures.push(error);
    }
  }
  const [error] = failures;
  if (error !== undefined && failures.length === groups.size) throw error;
  if (error !== undefined) {
    const facts = { error, failed: failures.length, component: 'memories' };
    services.log.warn(facts, 'objects of deleted memories could not be removed yet; retrying later');
  }
  return due.length;
}

/** Removes every version of memories from the index of the configured embedder, and from the other `spaces` that held them. */
export async function removeMemoryObjects(
  services: Services,
  removed: { workspace_id: string; memory_ids: readonly string[]; spaces?: readonly string[] },
): Promise<void> {
  const { space: current } = services.embedders.preferred;
  const others = (removed.spaces ?? []).filter((text) => text !== serializeSpace(current)).map(parseSpace);
  for (const space of [current, ...others]) {
    await services.vectors.deleteContents(space, memoryTenant(removed.workspace_id), {
      contentIds: removed.memory_ids,
    });
  }
}
