import type { Scope } from '#domain/access/scope.ts';
import type { Log } from '#observability/log.ts';
import type { Stores } from '#store/stores.ts';

/** Counts reads of contents in memory and writes them in batches, so that a read costs no write of its own. */
export type AccessCounter = {
  record(scope: Scope, contentId: string): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const FLUSH_MS = 2_000;
const FLUSH_AT_CONTENTS = 1_000;
/** So many contents are remembered while the database is away; accesses of more are not counted. */
const MAX_PENDING_CONTENTS = 100_000;

type Counts = Map<string, number>;

/**
 * Starts a counter. Lost is what a killed process had counted in its last two seconds, and what a database that is away for
 * long leaves no room for; nothing else.
 */
export function createAccessCounter(options: { stores: Stores; log: Log }): AccessCounter {
  let pending = new Map<string, Counts>();
  let contents = 0;
  /** While writing fails, only the clock asks for it. */
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
      await options.stores.contents.addAccesses({ workspaceId, collectionIds: null }, counts);
      isFailing = false;
    } catch (error) {
      isFailing = true;
      for (const [contentId, count] of counts) add(workspaceId, contentId, count);
      options.log.warn({ error, workspace_id: workspaceId }, 'accesses could not be counted yet');
    }
  };
  const flush = async () => {
    const batches = pending;
    pending = new Map();
    contents = 0;
    for (const [workspaceId, counts] of batches) await write(workspaceId, counts);
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    record(scope, contentId) {
      add(scope.workspaceId, contentId, 1);
      if (contents >= FLUSH_AT_CONTENTS && !isFailing) void flush();
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
