import { setTimeout as delay } from 'node:timers/promises';
import { workspaceScope } from '#domain/access/scope.ts';
import type { ProjectionRequest } from '#store/memories/memory-projections.ts';
import type { Services } from '#operations/services.ts';
import { GROUP_SIZE, projectMemoryGroup } from './project-memory-group.ts';

/** Workspaces whose memories a process indexes at the same time. */
const CONCURRENCY = 8;
/** While all of them are slow, other workspaces with pending memories are looked for this often. */
const POLL_MS = 500;
/** Renewed while a group is embedded. If the process dies, others take over after this. */
const LEASE_MS = 60_000;

export type MemoryProjector = {
  /**
   * Starts indexing what is due, of each workspace one group; then waits for a group to end, so that its workspace gets its next
   * turn at once. Returns 0 when there is nothing to do.
   */
  projectNext(): Promise<number>;
  /** Waits until the groups that are running have ended. */
  drain(): Promise<void>;
};

/**
 * Brings the index to what it should hold of memories: writes that failed because it was unavailable, versions whose process
 * crashed, and memories of a lost index or another embedder. Workspaces take turns, and one whose texts take long to embed does not
 * delay the others. Several processes may do this at the same time.
 */
export function createMemoryProjector(services: Services, { leaseMs = LEASE_MS } = {}): MemoryProjector {
  /** By workspace. */
  const running = new Map<string, Promise<void>>();

  const start = (workspaceId: string, memoryIds: readonly string[]) => {
    const scope = workspaceScope({ workspace_id: workspaceId });
    const group = projectMemoryGroup(services, { scope, memoryIds, leaseMs })
      .catch(async (error: unknown) => {
        const message = 'memories could not be indexed yet; retrying later';
        services.log.warn({ error, workspace_id: workspaceId, component: 'memories' }, message);
        // However many others are due, what is unavailable is not asked again at once.
        await delay(POLL_MS);
      })
      .finally(() => running.delete(workspaceId));
    running.set(workspaceId, group);
  };

  const startDue = async (): Promise<number> => {
    const request: ProjectionRequest = {
      ...GROUP_SIZE,
      maxWorkspaces: CONCURRENCY - running.size,
      except: [...running.keys()],
    };
    if (request.maxWorkspaces === 0) return 0;
    const due = await services.stores.memoryProjections.claimDue(request);
    for (const [workspaceId, versions] of Map.groupBy(due, (version) => version.workspace_id)) {
      start(workspaceId, [...new Set(versions.map((version) => version.memory_id))]);
    }
    return due.length;
  };

  return {
    async projectNext() {
      const before = running.size;
      const count = await startDue();
      if (running.size > 0) {
        const ended = new AbortController();
        const pause = delay(POLL_MS, undefined, { signal: ended.signal }).catch(() => undefined);
        await Promise.race([...running.values(), pause]);
        ended.abort();
      }
      return before + count;
    },
    async drain() {
      await Promise.all(running.values());
    },
  };
}
