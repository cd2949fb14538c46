import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { Log } from '#observability/log.ts';
import type { Stores } from '#store/stores.ts';

/** Counts reads of contents in memory and writes the counts in batches, so that a read does not cause a write. */
export type AccessCounter = {
  record(scope: Scope, contentId: string): void;
  /** Writes the pending counts. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const FLUSH_INTERVAL_MS = 2_000;
const FLUSH_THRESHOLD_CONTENTS = 1_000;
/** Maximum number of contents with pending counts while the database is unavailable; accesses of others are not counted. */
const MAX_PENDING_CONTENTS = 100_000;

type Counts = Map<string, number>;

/**
 * Starts a counter. It loses the counts of the last two seconds when the process is killed, and counts beyond
 * `MAX_PENDING_CONTENTS` while the database is unavailable; nothing else.
 */
export function createAccessCounter(options: { stores: Stores; log: Log }): AccessCounter {
  let pending = new Map<string, Counts>();
  let contents = 0;
  /** While writes fail, only the timer triggers them. */
  let isFailing = false;
  const add = (workspaceId: string, contentId: string, count: number) => {
    const counts: Counts = pending.get(workspaceId) ?? new Map();
    const before = counts.get(contentId);
    if (before === undefined && contents >= MAX_PENDING_CONTENTS) return;
    if (before === undefined) contents += 1;
    pending.set(workspaceId, counts.set(contentId, (before ?? 0) + count));
  };
  const write = async (workspaceId: string, counts: Counts) => {
    try {
      await options.stores.contents.addAccesses(workspaceScope({ workspace_id: workspaceId }), counts);
      isFailing = false;
    } catch (error) {
      isFailing = true;
      for (const [contentId, count] of counts) add(workspaceId, contentId, count);
      options.log.warn({ error, workspace_id: workspaceId }, 'access counts could not be written; they are retried');
    }
  };
  const flush = async () => {
    const batches = pending;
    pending = new Map();
    contents = 0;
    for (const [workspaceId, counts] of batches) await write(workspaceId, counts);
  };
  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS);
  timer.unref();
  return {
    record(scope, contentId) {
      add(scope.workspaceId, contentId, 1);
      if (contents >= FLUSH_THRESHOLD_CONTENTS && !isFailing) void flush();
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
