import { AppError } from '#domain/app-error.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import { REMOVAL_DELAYS_MS } from '#domain/removal-delays.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { MemoryResidue, PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';
import { embedVersions, writeVersions } from './write-versions.ts';

/** Longer than it takes to write a batch, and mostly than to embed it. */
const WORKER_LEASE_MS = 60_000;
/** When a removal that failed or crashed is repeated. A slow one may still run then: two at a time do no harm. */
const REMOVAL_LEASE_MS = 15_000;
const BATCH_SIZE = 100;

/** Leases memories again and returns those that are still held. */
type RenewLease = () => Promise<ReadonlySet<string>>;

/**
 * Runs `work` on the pending versions of those memories that no other process is writing. Returns false, without running it, when
 * other processes hold the leases of all of them.
 */
async function withProjectionLease(
  services: Services,
  { scope, memoryIds, leaseMs }: { scope: Scope; memoryIds: readonly string[]; leaseMs: number },
  work: (versions: PendingMemoryVersion[], renew: RenewLease) => Promise<void>,
): Promise<boolean> {
  const { memoryProjections } = services.stores;
  const lease = await memoryProjections.acquireLease(scope, memoryIds, leaseMs);
  if (lease === null) return false;
  let held = lease;
  const renew = async () => {
    held = await memoryProjections.renewLease(held, leaseMs);
    return new Set(held.memory_ids);
  };
  try {
    await work(await memoryProjections.listPending(scope, held.memory_ids), renew);
  } finally {
    await memoryProjections.releaseLease(held);
  }
  return true;
}

/** Embeds versions of one workspace, writes them into the index with their present validity, and records that. */
async function projectVersions(
  services: Services,
  versions: readonly PendingMemoryVersion[],
  renew: RenewLease,
): Promise<void> {
  const [first] = versions;
  if (!first) return;
  const scope = workspaceScope(first);
  const embedded = await embedVersions(services, versions, { share: scope.workspaceId });
  // It may have taken longer than the lease. What another process has written since must not be written over.
  const held = await renew();
  const own = embedded.filter(({ version }) => held.has(version.memory_id));
  await writeVersions(services, scope, { embedded: own, unwritten: new Set() });
  const space = serializeSpace(services.embedders.preferred.space);
  await services.stores.memoryProjections.markIndexed(
    own.map(({ version }) => version),
    space,
  );
}

/**
 * Makes one pass over everything that the index does not hold as it should: writes that failed because it was unavailable,
 * versions whose process crashed, objects of deleted memories, and memories of another embedder. Returns the number of items
 * found.
 */
export async function projectMemories(services: Services): Promise<number> {
  const due = await services.stores.memoryProjections.claimDue(BATCH_SIZE);
  let lastFailure: unknown = null;
  for (const [workspaceId, versions] of Map.groupBy(due, (version) => version.workspace_id)) {
    const memoryIds = [...new Set(versions.map((version) => version.memory_id))];
    await withProjectionLease(
      services,
      { scope: workspaceScope({ workspace_id: workspaceId }), memoryIds, leaseMs: WORKER_LEASE_MS },
      async (pending, renew) => {
        // Versions are retried one by one, so that one text that the embedder rejects does not block the others.
        await projectVersions(services, pending, renew).catch(async (error: unknown) => {
          lastFailure = error;
          if (error instanceof AppError && error.code === 'dependency_unavailable') return;
          for (const version of pending)
            await projectVersions(services, [version], renew).catch((one: unknown) =>
              logProjectionFailure(services, one),
            );
        });
      },
    );
  }
  if (lastFailure !== null) logProjectionFailure(services, lastFailure);
  const cleared = await clearOtherSpace(services);
  return due.length + cleared + (await removeMemoryResidues(services));
}

function logProjectionFailure(services: Services, error: unknown): void {
  services.log.warn({ error, component: 'memories' }, 'memories could not be indexed yet; retrying later');
}

/**
 * If a workspace still has memories in the space of another embedder, drops its tenant there and marks them for indexing in the
 * configured space. Handles one workspace a call and returns how many it handled.
 */
async function clearOtherSpace(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const found = await memoryProjections.findOtherSpace(serializeSpace(services.embedders.preferred.space));
  if (!found) return 0;
  const space: EmbeddingSpace = parseSpace(found.index_space);
  await services.vectors.dropTenant(space, memoryTenant(found.workspace_id));
  await memoryProjections.clearSpace(workspaceScope(found), found.index_space);
  return 1;
}

/**
 * Removes the index objects of deleted memories and returns the number of memories processed. One workspace whose objects cannot be
 * removed does not hold up the others.
 * @throws when nothing could be removed: the index is unavailable.
 */
async function removeMemoryResidues(services: Services): Promise<number> {
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
