import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Log } from '#observability/log.ts';
import type { FirstIndexing, InsertedMemory } from '#store/memories/memories.ts';
import { createIndexingGroups, type IndexingPlace, type LeasedMemory } from './indexing-groups.ts';
import type { IndexingParts } from './write-versions.ts';

/** How long a request waits until its memories are searchable, and when others take over from it. */
export type IndexingTimes = FirstIndexing & { waitMs: number };

/** Between the end of the wait and the end of the lease: for a group that starts in the last moment of the wait. */
const RESERVE_MS = 10_000;
/** How long requests wait before they leave the rest to the worker. */
export const SINGLE_WRITE: IndexingTimes = timesFor(10_000);
export const BATCH_WRITE: IndexingTimes = timesFor(30_000);

/** Larger requests are bulk work: the embedder serves the others first, and workspaces in turn. */
const MAX_EXPRESS_MEMORIES = 16;
/** A lease of another process is usually held for some tens of milliseconds. */
const LEASE_POLL_MS = 20;
/** Most characters of memories that requests are indexing in this process; what exceeds it is left to the worker. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Memories that were just inserted, with their leases. `startedMs`: before the insertion, on the clock of `performance.now()`. */
export type InsertedMemories = { inserted: readonly InsertedMemory[]; startedMs: number; times: IndexingTimes };

/**
 * Writes memories of requests into the index. What arrives together is embedded, written and recorded together, one workspace
 * apart from the other.
 */
export type MemoryIndexer = {
  /**
   * Returns whether search finds all of these memories. They are already durable, so nothing here fails the request: the worker
   * indexes what this leaves.
   */
  indexInserted(scope: Scope, memories: InsertedMemories): Promise<boolean>;
  /** The same for memories that were changed, or that a repeated request finds inserted. */
  indexChanged(scope: Scope, memoryIds: readonly string[]): Promise<boolean>;
};

/** Creates the indexer of a process. It keeps nothing that is not in Postgres. */
export function createMemoryIndexer(parts: IndexingParts & { log: Log }): MemoryIndexer {
  const groups = createIndexingGroups(parts);
  let requests = 0;
  let characters = 0;

  const indexLeased = async (leased: LeasedMemory, place: IndexingPlace): Promise<void> => {
    const size = leased.versions.reduce((sum, version) => sum + version.memory.length, 0);
    characters += size;
    try {
      if (characters > MAX_CHARACTERS) throw unavailable('Too many memories are being indexed.');
      await groups.write(leased, place);
    } catch (error) {
      await groups.abandon(leased, place).catch(() => undefined);
      throw error;
    } finally {
      characters -= size;
    }
  };

  const leaseAndIndex = async (memoryId: string, place: IndexingPlace): Promise<void> => {
    for (;;) {
      const found = await groups.lease(memoryId, place);
      if (found === 'indexed') return;
      if (found !== 'held') return indexLeased(found, place);
      await delay(LEASE_POLL_MS);
    }
  };

  const placeOf = (scope: Scope, deadlineMs: number, memories: number): IndexingPlace => {
    requests += 1;
    const lane = memories > MAX_EXPRESS_MEMORIES ? 'bulk' : 'express';
    return { key: scope.workspaceId, share: String(requests), deadlineMs, lane };
  };

  /** Returns whether all of the work succeeded within the deadline. */
  const succeeds = async (work: readonly Promise<void>[], { key, deadlineMs }: IndexingPlace): Promise<boolean> => {
    const outcomes = await withDeadline(Promise.allSettled(work), deadlineMs);
    const failures = outcomes?.filter((outcome) => outcome.status === 'rejected') ?? [];
    if (outcomes !== null && failures.length === 0) return true;
    const facts = { workspace_id: key, memories: work.length, failed: failures.length, error: failures[0]?.reason };
    parts.log.warn(facts, 'memories could not be indexed yet; the worker does it unless this process still does');
    return false;
  };

  return {
    async indexInserted(scope, { inserted, startedMs, times }) {
      const place = placeOf(scope, startedMs + times.waitMs, inserted.length);
      return succeeds(
        inserted.map((memory) => indexLeased(asLeased(scope, memory, startedMs + times.leaseMs), place)),
        place,
      );
    },
    async indexChanged(scope, memoryIds) {
      const place = placeOf(scope, performance.now() + SINGLE_WRITE.waitMs, memoryIds.length);
      const isIndexed = await succeeds(
        memoryIds.map((id) => leaseAndIndex(id, place)),
        place,
      );
      if (!isIndexed) await parts.stores.memoryProjections.makeDue(scope, memoryIds).catch(() => undefined);
      return isIndexed;
    },
  };
}

function timesFor(waitMs: number): IndexingTimes {
  return { waitMs, leaseMs: waitMs + RESERVE_MS, dueMs: waitMs + 2 * RESERVE_MS };
}

function unavailable(message: string): AppError {
  return new AppError('dependency_unavailable', message);
}

/** Returns null when the deadline passes first. */
async function withDeadline<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result | null> {
  const timer = new AbortController();
  const timeout = delay(Math.max(0, deadlineMs - performance.now()), null, { signal: timer.signal }).catch(() => null);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}

/** The lease of a memory whose first version was just inserted: what `listPending` would return. */
function asLeased(scope: Scope, memory: InsertedMemory, leasedUntilMs: number): LeasedMemory {
  const { memory_id, version, object_id, user_id, memory_type, updated_at, valid_to } = memory;
  const row = { memory_id, version, object_id, user_id, memory_type, memory: memory.memory, valid_to };
  return {
    lease: { memory_id, until: memory.projecting_until ?? memory.created_at },
    leasedUntilMs,
    versions: [
      { ...row, workspace_id: scope.workspaceId, valid_from: updated_at, index_state: 'none', index_attempts: 0 },
    ],
  };
}
