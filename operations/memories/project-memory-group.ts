import pLimit from 'p-limit';
import { AppError } from '#domain/app-error.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { groupBySize } from '#domain/group-by-size.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';
import { embedVersions, writeVersions } from './write-versions.ts';

/** Memories, and characters of their texts, that are embedded and recorded at once. */
export const GROUP_SIZE = { limit: 100, maxCharacters: 64 * 1024 };

/** Leases memories again and returns those that are still held. */
type RenewLease = () => Promise<ReadonlySet<string>>;
type LeasedGroup = { scope: Scope; memoryIds: readonly string[]; leaseMs: number };

/**
 * Writes the pending versions of memories of one workspace into the index, without those that another process is writing. Texts that
 * the embedder rejects do not block the others.
 * @throws AppError `dependency_unavailable` when the embedder, the index or the database is; what was written until then is recorded.
 */
export async function projectMemoryGroup(services: Services, group: LeasedGroup): Promise<void> {
  await withProjectionLease(services, group, async (pending, renew) => {
    const { limit: maxItems, maxCharacters: maxSize } = GROUP_SIZE;
    // A memory may have more pending versions than were due.
    for (const versions of groupBySize(pending, ({ memory }) => memory.length, { maxItems, maxSize })) {
      await projectEach(services, versions, renew);
    }
  });
}

/** Runs `work` on the pending versions of those memories that no other process is writing, and keeps their lease meanwhile. */
async function withProjectionLease(
  services: Services,
  { scope, memoryIds, leaseMs }: LeasedGroup,
  work: (versions: PendingMemoryVersion[], renew: RenewLease) => Promise<void>,
): Promise<void> {
  const { memoryProjections } = services.stores;
  const lease = await memoryProjections.acquireLease(scope, memoryIds, leaseMs);
  if (lease === null) return;
  let held = lease;
  // Each renewal needs the end of the lease that the one before it has set.
  const inTurn = pLimit(1);
  const renew = () =>
    inTurn(async () => {
      held = await memoryProjections.renewLease(held, leaseMs);
      return new Set(held.memory_ids);
    });
  const timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  try {
    await work(await memoryProjections.listPending(scope, held.memory_ids), renew);
  } finally {
    clearInterval(timer);
    await inTurn(() => memoryProjections.releaseLease(held));
  }
}

/** If the versions fail together, they are tried one by one. */
async function projectEach(
  services: Services,
  versions: readonly PendingMemoryVersion[],
  renew: RenewLease,
): Promise<void> {
  try {
    await projectVersions(services, versions, renew);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    for (const version of versions) {
      await projectVersions(services, [version], renew).catch((one: unknown) => {
        if (isUnavailable(one)) throw one;
        const { workspace_id } = version;
        const message = 'a memory could not be indexed yet; retrying later';
        services.log.warn({ error: one, workspace_id, component: 'memories' }, message);
      });
    }
  }
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

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'dependency_unavailable';
}
