import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryFacets, memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';

/** How long a request waits for its write to become searchable before it leaves the rest to the worker. */
const REQUEST_WAIT_MS = 10_000;
/** A lease is usually held for some tens of milliseconds. */
const LEASE_POLL_MS = 20;
/** Longer than a request waits, and shorter than the time after which the worker takes over from a killed request. */
const REQUEST_LEASE_MS = 20_000;
/** Longer than it takes to embed and write a batch. */
const WORKER_LEASE_MS = 60_000;
const BATCH_SIZE = 100;
/** As for contents: the first pass removes nearly everything, later ones the objects that a stalled process wrote afterwards. */
const PASS_DELAYS_MS = [0, 15, 60, 300, 1_800, 21_600, 86_400].map((seconds) => seconds * 1_000);

/**
 * Writes a newly committed memory into the index. The write is already durable, so no failure here fails the request: false means
 * that the memory is not searchable yet and that the worker will index it.
 */
export async function projectMemory(services: Services, scope: Scope, memoryId: string): Promise<boolean> {
  const work = projectPendingVersions(services, scope, memoryId).then(
    () => true,
    async (error: unknown) => {
      services.log.warn(
        { error, workspace_id: scope.workspaceId },
        'a memory could not be indexed yet; the worker will retry',
      );
      await services.stores.memoryProjections.makeDue(scope, [memoryId]).catch(() => undefined);
      return false;
    },
  );
  const timer = new AbortController();
  const timeout = delay(REQUEST_WAIT_MS, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}

async function projectPendingVersions(services: Services, scope: Scope, memoryId: string): Promise<void> {
  for (const deadlineMs = performance.now() + REQUEST_WAIT_MS; performance.now() < deadlineMs;) {
    const memory = { scope, memoryIds: [memoryId], leaseMs: REQUEST_LEASE_MS };
    if (await withProjectionLease(services, memory, (versions) => projectVersions(services, versions))) return;
    // The previous holder of the lease indexed it, or the memory was deleted.
    if ((await services.stores.memoryProjections.listPending(scope, [memoryId])).length === 0) return;
    await delay(LEASE_POLL_MS);
  }
  throw new AppError('dependency_unavailable', 'Another process is writing this memory into the index.');
}

/**
 * Runs `work` on the pending versions of those memories that no other process is writing. Returns false, without running it, when
 * other processes hold the leases of all of them.
 */
async function withProjectionLease(
  services: Services,
  { scope, memoryIds, leaseMs }: { scope: Scope; memoryIds: readonly string[]; leaseMs: number },
  work: (versions: PendingMemoryVersion[]) => Promise<void>,
): Promise<boolean> {
  const { memoryProjections } = services.stores;
  const lease = await memoryProjections.acquireLease(scope, memoryIds, leaseMs);
  if (lease === null) return false;
  try {
    await work(await memoryProjections.listPending(scope, lease.memory_ids));
  } finally {
    await memoryProjections.releaseLease(lease);
  }
  return true;
}

/** Writes versions of one workspace into the index with their present validity, and records that. */
async function projectVersions(services: Services, versions: readonly PendingMemoryVersion[]): Promise<void> {
  const [first] = versions;
  if (!first) return;
  const { preferred } = services.embedders;
  const tenant = memoryTenant(first.workspace_id);
  // Objects that are already in the index, with a vector, only get the end of their validity.
  const superseded = versions.filter((version) => version.index_state === 'current');
  const updates = superseded.map((version) => ({ id: version.object_id, facets: memoryFacets(version) }));
  const missing = updates.length === 0 ? [] : await services.vectors.updateFacets(preferred.space, tenant, updates);
  const absent = versions.filter(
    ({ index_state, object_id }) => index_state !== 'current' || missing.includes(object_id),
  );
  await writeVersions(services, tenant, absent);
  await services.stores.memoryProjections.markIndexed(versions, serializeSpace(preferred.space));
}

async function writeVersions(
  services: Services,
  tenant: string,
  versions: readonly PendingMemoryVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const { preferred } = services.embedders;
  const vectors = await preferred.embed(
    versions.map((version) => version.memory),
    'document',
  );
  const objects = versions.map((version, index) => ({
    id: version.object_id,
    content_id: version.memory_id,
    version: version.version,
    text: version.memory,
    facets: memoryFacets(version),
    vector: vectors[index] ?? new Float32Array(preferred.space.dimensions),
  }));
  // An earlier attempt that crashed or timed out may already have written some of the objects.
  const write = () => services.vectors.rewriteObjects(preferred.space, tenant, objects);
  try {
    await write();
  } catch {
    // The tenant may be missing: this is the first memory of the workspace, or Weaviate lost its data. If Weaviate is
    // unavailable, this fails as well.
    await recreateTenant(services, tenant, versions);
    await write();
  }
}

/**
 * Creates the tenant. If it was lost, marks all other memories of the workspace for indexing first: once the tenant exists again,
 * nothing would detect that they are missing.
 */
async function recreateTenant(
  services: Services,
  tenant: string,
  written: readonly PendingMemoryVersion[],
): Promise<void> {
  const { space } = services.embedders.preferred;
  const workspaceId = written[0]?.workspace_id;
  if (workspaceId !== undefined && !(await services.vectors.tenantExists(space, tenant))) {
    const scope = { workspaceId, collectionIds: null };
    const objects = written.map((version) => version.object_id);
    await services.stores.memoryProjections.markUnindexed(scope, serializeSpace(space), objects);
  }
  await services.vectors.ensureTenant(space, tenant);
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
      { scope: { workspaceId, collectionIds: null }, memoryIds, leaseMs: WORKER_LEASE_MS },
      async (pending) => {
        // Versions are retried one by one, so that one text that the embedder rejects does not block the others.
        await projectVersions(services, pending).catch(async (error: unknown) => {
          lastFailure = error;
          if (error instanceof AppError && error.code === 'dependency_unavailable') return;
          for (const version of pending)
            await projectVersions(services, [version]).catch((one: unknown) => logProjectionFailure(services, one));
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
  await memoryProjections.clearSpace({ workspaceId: found.workspace_id, collectionIds: null }, found.index_space);
  return 1;
}

/** Removes the index objects of deleted memories and returns the number of memories processed. */
async function removeMemoryResidues(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const due = await memoryProjections.claimDueResidues(BATCH_SIZE, PASS_DELAYS_MS.slice(1));
  for (const residue of due) {
    await removeMemoryObjects(services, residue);
    if (residue.passes >= PASS_DELAYS_MS.length) await memoryProjections.deleteResidue(residue.memory_id);
  }
  return due.length;
}

/** Removes every version of a memory from the index of the configured embedder, and from the other `spaces` that held it. */
export async function removeMemoryObjects(
  services: Services,
  memory: { workspace_id: string; memory_id: string; spaces?: readonly string[] },
): Promise<void> {
  const { space: current } = services.embedders.preferred;
  const others = (memory.spaces ?? []).filter((text) => text !== serializeSpace(current)).map(parseSpace);
  for (const space of [current, ...others]) {
    await services.vectors.deleteContent(space, memoryTenant(memory.workspace_id), { contentId: memory.memory_id });
  }
}
