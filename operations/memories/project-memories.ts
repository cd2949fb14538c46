import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { memoryFacets, memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';

/** A request waits this long for its write to be searchable; then the worker takes over. */
const REQUEST_WAIT_MS = 10_000;
/** Whoever has the turn of a memory is done in some tens of milliseconds. */
const LEASE_POLL_MS = 20;
/** Over before the worker takes up what a request was killed with; longer than a request waits. */
const REQUEST_LEASE_MS = 20_000;
/** Longer than it takes to embed and write as many as are taken at once. */
const WORKER_LEASE_MS = 60_000;
const BATCH_SIZE = 100;
/** As for contents: the first pass removes nearly everything, the later ones what a stalled process sent afterwards. */
const PASS_DELAYS_MS = [0, 15, 60, 300, 1_800, 21_600, 86_400].map((seconds) => seconds * 1_000);

/**
 * Brings a memory that was just written into the index. It is committed, so nothing here is an error to its client: false
 * says that it is not searchable yet, and will be without anybody's doing.
 */
export async function projectMemory(services: Services, scope: Scope, memoryId: string): Promise<boolean> {
  const work = projectPendingVersions(services, scope, memoryId).then(
    () => true,
    async (error: unknown) => {
      services.log.warn({ error, workspace_id: scope.workspaceId }, 'a memory is not in the index yet; it will be');
      await services.stores.memoryProjections.makeDue(scope, [memoryId]).catch(() => undefined);
      return false;
    },
  );
  const patience = new AbortController();
  const late = delay(REQUEST_WAIT_MS, false, { signal: patience.signal }).catch(() => false);
  try {
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
  }
}

async function projectPendingVersions(services: Services, scope: Scope, memoryId: string): Promise<void> {
  for (const deadlineMs = performance.now() + REQUEST_WAIT_MS; performance.now() < deadlineMs;) {
    const memory = { scope, memoryIds: [memoryId], leaseMs: REQUEST_LEASE_MS };
    if (await withProjectionLease(services, memory, (versions) => projectVersions(services, versions))) return;
    // Whoever had the turn did it, or the memory is gone.
    if ((await services.stores.memoryProjections.listPending(scope, [memoryId])).length === 0) return;
    await delay(LEASE_POLL_MS);
  }
  throw new AppError('dependency_unavailable', 'Another process is writing this memory into the index.');
}

/** Does work on what is pending of those of these memories that nobody else is writing; false when that is none. */
async function withProjectionLease(
  services: Services,
  { scope, memoryIds, leaseMs }: { scope: Scope; memoryIds: readonly string[]; leaseMs: number },
  work: (versions: PendingMemoryVersion[]) => Promise<void>,
): Promise<boolean> {
  const { memoryProjections } = services.stores;
  const turn = await memoryProjections.acquireLease(scope, memoryIds, leaseMs);
  if (turn === null) return false;
  try {
    await work(await memoryProjections.listPending(scope, turn.memory_ids));
  } finally {
    await memoryProjections.releaseLease(turn);
  }
  return true;
}

/** Writes versions into the index as they are valid now, and notes it. All of one workspace. */
async function projectVersions(services: Services, versions: readonly PendingMemoryVersion[]): Promise<void> {
  const [first] = versions;
  if (!first) return;
  const { preferred } = services.embedders;
  const tenant = memoryTenant(first.workspace_id);
  // What is there already, with a vector, only gets the end of its validity.
  const superseded = versions.filter((version) => version.index_state === 'current');
  const updates = superseded.map((version) => ({ id: version.object_id, facets: memoryFacets(version) }));
  const missing = updates.length === 0 ? [] : await services.vectors.updateFacets(preferred.space, tenant, updates);
  const absent = versions.filter(
    ({ index_state, object_id }) => index_state !== 'current' || missing.includes(object_id),
  );
  await putVersions(services, tenant, absent);
  await services.stores.memoryProjections.markIndexed(versions, serializeSpace(preferred.space));
}

async function putVersions(
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
  // Nobody knows how far a process that died had come, or the request that gave up waiting.
  const put = () => services.vectors.rewriteObjects(preferred.space, tenant, objects);
  try {
    await put();
  } catch {
    // The first memory of a workspace, or of an index that lost its data; one that is away is away for this, too.
    await recreateTenant(services, tenant, versions);
    await put();
  }
}

/** Notes what went with a tenant before there is one again: nobody would notice afterwards that the rest is missing. */
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
 * One pass over what the index does not hold as it should: writes that found it away, versions that a process died with,
 * objects of deleted memories, and memories of another embedder. Returns how many things there were to do.
 */
export async function projectMemories(services: Services): Promise<number> {
  const due = await services.stores.memoryProjections.claimDue(BATCH_SIZE);
  let isAway: unknown = null;
  for (const [workspaceId, versions] of Map.groupBy(due, (version) => version.workspace_id)) {
    const memoryIds = [...new Set(versions.map((version) => version.memory_id))];
    await withProjectionLease(
      services,
      { scope: { workspaceId, collectionIds: null }, memoryIds, leaseMs: WORKER_LEASE_MS },
      async (pending) => {
        // One text that the embedder refuses keeps no other one back.
        await projectVersions(services, pending).catch(async (error: unknown) => {
          isAway = error;
          if (error instanceof AppError && error.code === 'dependency_unavailable') return;
          for (const version of pending)
            await projectVersions(services, [version]).catch((one: unknown) => logProjectionFailure(services, one));
        });
      },
    );
  }
  if (isAway !== null) logProjectionFailure(services, isAway);
  const moved = await clearOtherSpace(services);
  return due.length + moved + (await removeMemoryResidues(services));
}

function logProjectionFailure(services: Services, error: unknown): void {
  services.log.warn({ error, component: 'memories' }, 'memories are not in the index yet; they will be tried again');
}

/** Another embedder is configured: its space gets everything anew, and the old one is emptied. */
async function clearOtherSpace(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const found = await memoryProjections.findOtherSpace(serializeSpace(services.embedders.preferred.space));
  if (!found) return 0;
  const space: EmbeddingSpace = parseSpace(found.index_space);
  await services.vectors.dropTenant(space, memoryTenant(found.workspace_id));
  await memoryProjections.clearSpace({ workspaceId: found.workspace_id, collectionIds: null }, found.index_space);
  return 1;
}

/** Removes the objects of deleted memories. */
async function removeMemoryResidues(services: Services): Promise<number> {
  const { memoryProjections } = services.stores;
  const due = await memoryProjections.claimDueResidues(BATCH_SIZE, PASS_DELAYS_MS.slice(1));
  for (const residue of due) {
    await removeMemoryObjects(services, residue);
    if (residue.passes >= PASS_DELAYS_MS.length) await memoryProjections.deleteResidue(residue.memory_id);
  }
  return due.length;
}

/** Removes every version of a memory from the index: of the present embedder, and of those before that had it. */
export async function removeMemoryObjects(
  services: Services,
  memory: { workspace_id: string; memory_id: string; spaces?: readonly string[] },
): Promise<void> {
  const { space: present } = services.embedders.preferred;
  const others = (memory.spaces ?? []).filter((text) => text !== serializeSpace(present)).map(parseSpace);
  for (const space of [present, ...others]) {
    await services.vectors.deleteContent(space, memoryTenant(memory.workspace_id), { contentId: memory.memory_id });
  }
}
