import { AppError } from '#domain/app-error.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { WorkLane, WorkShare } from '#domain/work-share.ts';
import { runExclusiveByKey } from '#operations/run-exclusive-by-key.ts';
import type { MemoryLease, PendingMemoryVersion } from '#store/memories/memory-projections.ts';
import { GroupedCalls, type CallOutcome, type CallPlace } from './grouped-calls.ts';
import { embedVersions, writeVersions, type EmbeddedVersion, type IndexingParts } from './write-versions.ts';

/** A memory that this process may write into the index, and its pending versions. */
export type LeasedMemory = {
  lease: MemoryLease;
  /** The end of the lease on the clock of `performance.now()`. */
  leasedUntilMs: number;
  versions: readonly PendingMemoryVersion[];
};
type EmbeddedMemory = { memory: LeasedMemory; embedded: readonly EmbeddedVersion[] };

/** `bulk`: what many memories of one request wait for, so that single ones need not wait for them. */
export type IndexingPlace = CallPlace & { lane: WorkLane };

/** `indexed`: nothing is pending. `held`: another request or process is writing the memory. */
type LeaseOutcome = LeasedMemory | 'indexed' | 'held';

/**
 * Groups of a workspace by lane. While one group is written, the next one is embedded; of bulk work two, which keeps the threads of
 * the embedder busy. Writing a group holds up those of the other lane.
 */
const GROUPS = {
  express: { maxItems: 64, maxSize: 64 * 1024, maxRunning: 2 },
  bulk: { maxItems: 96, maxSize: 64 * 1024, maxRunning: 3 },
} as const;
const STATEMENT = { maxItems: 1_000, maxSize: Infinity, maxRunning: 1, sizeOf: () => 0 };
/** Longer than the wait of a request whose change is indexed. */
const LEASE_MS = 20_000;
/** A write of the index must end before the lease does; it takes some tens of milliseconds. */
const LEASE_MARGIN_MS = 2_000;

/** The steps of indexing, which serve together what arrives together, by workspace. */
export function createIndexingGroups(parts: IndexingParts) {
  const { memoryProjections } = parts.stores;
  /** Objects by workspace that this process has still to write. */
  const unwritten = new Map<string, Set<string>>();
  const leases = new GroupedCalls<string, LeaseOutcome>({
    ...STATEMENT,
    run: (workspaceId, memoryIds) => leaseEach(parts, scopeOf(workspaceId), memoryIds),
  });
  const writesOf = (lane: WorkLane) =>
    new GroupedCalls<LeasedMemory, void>({
      ...GROUPS[lane],
      sizeOf: ({ versions }) => versions.reduce((sum, { memory }) => sum + memory.length, 0),
      run: (workspaceId, memories) => {
        const waiting = unwritten.get(workspaceId) ?? new Set();
        return indexGroup(parts, { workspaceId, lane }, { memories, unwritten: waiting });
      },
    });
  const writes = { express: writesOf('express'), bulk: writesOf('bulk') };
  const abandonments = new GroupedCalls<MemoryLease, void>({
    ...STATEMENT,
    run: async (_workspaceId, abandoned) => {
      await memoryProjections.abandonLeases(abandoned);
      return abandoned.map(() => ({ result: undefined }));
    },
  });

  return {
    lease: (memoryId: string, place: CallPlace): Promise<LeaseOutcome> => leases.call(memoryId, place),

    /** Embeds the versions of a memory, writes them into the index, records that and ends the lease. */
    async write(memory: LeasedMemory, { lane, ...place }: IndexingPlace): Promise<void> {
      const waiting = unwritten.get(place.key) ?? new Set();
      unwritten.set(place.key, waiting);
      for (const { object_id } of memory.versions) waiting.add(object_id);
      try {
        await writes[lane].call(memory, place);
      } finally {
        // A group that is written removes its objects itself, before the next one begins.
        for (const { object_id } of memory.versions) waiting.delete(object_id);
        if (waiting.size === 0 && unwritten.get(place.key) === waiting) unwritten.delete(place.key);
      }
    },

    /** Leaves a memory to the worker, however late. */
    abandon: (memory: LeasedMemory, place: CallPlace): Promise<void> =>
      abandonments.call(memory.lease, { ...place, deadlineMs: Infinity }),
  };
}

async function leaseEach(
  { stores }: IndexingParts,
  scope: Scope,
  memoryIds: readonly string[],
): Promise<CallOutcome<LeaseOutcome>[]> {
  const ids = [...new Set(memoryIds)];
  const leasedUntilMs = performance.now() + LEASE_MS;
  const lease = await stores.memoryProjections.acquireLease(scope, ids, LEASE_MS);
  const pending = Map.groupBy(await stores.memoryProjections.listPending(scope, ids), (version) => version.memory_id);
  // Of several calls for one memory, the first gets the lease.
  const leased = new Set(lease?.memory_ids);
  return memoryIds.map((id) => {
    const versions = pending.get(id) ?? [];
    if (lease !== null && leased.delete(id)) {
      return { result: { lease: { memory_id: id, until: lease.until }, leasedUntilMs, versions } };
    }
    return { result: versions.length === 0 ? 'indexed' : 'held' };
  });
}

/** Indexes memories of one workspace. A memory that the embedder rejects fails alone. */
async function indexGroup(
  parts: IndexingParts,
  { workspaceId, lane }: { workspaceId: string; lane: WorkLane },
  { memories, unwritten }: { memories: readonly LeasedMemory[]; unwritten: Set<string> },
): Promise<CallOutcome<void>[]> {
  const embedded = await embedEach(parts, { lane, share: workspaceId }, memories);
  let outcomes = embedded;
  try {
    await runExclusiveByKey(`write memories of ${workspaceId}`, async () => {
      outcomes = embedded.map(failIfLate);
      const versions = outcomes.flatMap((outcome) => ('result' in outcome ? outcome.result.embedded : []));
      await writeVersions(parts, scopeOf(workspaceId), { embedded: versions, unwritten });
      for (const { version } of versions) unwritten.delete(version.object_id);
    });
    await complete(
      parts,
      outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result.memory] : [])),
    );
    return outcomes.map((outcome) => ('result' in outcome ? { result: undefined } : outcome));
  } catch (error) {
    return outcomes.map((outcome) => ('result' in outcome ? { error } : outcome));
  }
}

/** The object of a memory must not be written any more when the lease is about to end, because others write it then. */
function failIfLate(outcome: CallOutcome<EmbeddedMemory>): CallOutcome<EmbeddedMemory> {
  if ('error' in outcome || performance.now() < outcome.result.memory.leasedUntilMs - LEASE_MARGIN_MS) return outcome;
  const message = 'Embedding or writing took too long; the worker indexes the memory.';
  return { error: new AppError('dependency_unavailable', message) };
}

/** Embeds memories in one call. If the embedder rejects some of them, halves are tried again, until only those fail. */
async function embedEach(
  parts: IndexingParts,
  place: WorkShare,
  memories: readonly LeasedMemory[],
): Promise<CallOutcome<EmbeddedMemory>[]> {
  try {
    const versions = memories.flatMap((memory) => memory.versions);
    const leasedMs = Math.min(...memories.map((memory) => memory.leasedUntilMs)) - performance.now();
    const signal = AbortSignal.timeout(Math.max(0, Math.floor(leasedMs - LEASE_MARGIN_MS)));
    const embedded = await embedVersions(parts, versions, { ...place, signal });
    let from = 0;
    return memories.map((memory) => {
      const own = embedded.slice(from, from + memory.versions.length);
      from += own.length;
      return { result: { memory, embedded: own } };
    });
  } catch (error) {
    const isRejected = error instanceof AppError && error.code === 'embedding_rejected';
    if (!isRejected || memories.length === 1) return memories.map(() => ({ error }));
    const half = Math.ceil(memories.length / 2);
    const first = await embedEach(parts, place, memories.slice(0, half));
    return [...first, ...(await embedEach(parts, place, memories.slice(half)))];
  }
}

async function complete({ stores, embedders }: IndexingParts, memories: readonly LeasedMemory[]): Promise<void> {
  if (memories.length === 0) return;
  const leases = memories.map(({ lease }) => lease);
  const versions = memories.flatMap((memory) => memory.versions);
  const space = serializeSpace(embedders.preferred.space);
  await stores.memoryProjections.completeLeases(leases, { versions, space });
}

function scopeOf(workspaceId: string): Scope {
  return workspaceScope({ workspace_id: workspaceId });
}
