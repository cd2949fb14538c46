import type { Scope } from '../domain/scope.ts';
import type { Log } from '../observability/log.ts';
import type { Stores } from '../store/stores.ts';

/** Counts reads of contents in memory and writes them in batches, so that a read costs no write of its own. */
export type AccessCounter = {
  note(scope: Scope, contentId: string): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const FLUSH_MS = 2_000;
const FLUSH_AT_CONTENTS = 1_000;

/** Starts a counter. What a killed process had counted in its last two seconds is lost; nothing else is. */
export function createAccessCounter(options: { stores: Stores; log: Log }): AccessCounter {
  const pending = new Map<string, Map<string, number>>();
  let contents = 0;
  const flush = async () => {
    const batches = [...pending];
    pending.clear();
    contents = 0;
    for (const [workspaceId, counts] of batches) {
      try {
        await options.stores.contents.addAccesses({ workspaceId, collectionIds: null }, counts);
      } catch (error) {
        options.log.warn({ error, workspace_id: workspaceId }, 'accesses could not be counted');
      }
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    note(scope, contentId) {
      const counts = pending.get(scope.workspaceId) ?? new Map<string, number>();
      pending.set(scope.workspaceId, counts);
      if (!counts.has(contentId)) contents += 1;
      counts.set(contentId, (counts.get(contentId) ?? 0) + 1);
      if (contents >= FLUSH_AT_CONTENTS) void flush();
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
