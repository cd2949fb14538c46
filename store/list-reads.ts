import { AppError } from '#domain/app-error.ts';
import { queryOne, type Database } from './postgres.ts';
import { createStores, type Stores } from './stores.ts';

/** Where lists are read, which may be a moment old. `current`: those that may not, because something is decided by them. */
export type ListReads = {
  read<Result>(call: (stores: Stores) => Promise<Result>): Promise<Result>;
  readonly current: ListReads;
};

export type ReplicaOptions = {
  primary: Database;
  replica: Database;
  stores: Stores;
  /** The oldest state of the primary that a list may show. */
  maxLagMs: number;
  /** Called with the first check, and when lists move to the replica or back to the primary. */
  onChange: (isUsed: boolean, error?: unknown) => void;
};

/** Often enough to notice within a part of the time that a list may be behind. */
const CHECKS_WITHIN_MAX_LAG = 10;
/** However far lists may be behind: a replica that is cut off is noticed after the sum of both. */
const MAX_CHECK_EVERY_MS = 5_000;
const MAX_CHECK_MS = 10_000;

/** Codes of statements that the server cancels, for its recovery or for the time limit: they say nothing about the server. */
const CANCELLED = /^(?:40|57014)/;

/** A position of the primary's write-ahead log, in bytes; null where it is not one of a replica. */
const WRITTEN = `select (pg_current_wal_flush_lsn() - '0/0')::text as position`;
const REPLAYED = `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as position`;

/** Without a replica, the primary is read. */
export function readsOfPrimary(stores: Stores): ListReads {
  const reads: ListReads = {
    read: (call) => call(stores),
    get current() {
      return reads;
    },
  };
  return reads;
}

/**
 * Reads lists from a streaming replica while that has replayed what the primary had written `maxLagMs` before, and otherwise
 * from the primary: also when the replica does not answer, or ends a statement that its recovery was waiting for. A replica whose
 * machine or network is gone does not even refuse: lists that wait for it are read again when its position cannot be read either.
 */
export function createReplicaReads(options: ReplicaOptions): ListReads & { close(): Promise<void> } {
  const { primary, replica, stores, maxLagMs, onChange } = options;
  const replicaStores = createStores(replica);
  /** Positions that the primary had, the oldest first. */
  let written: { position: bigint; atMs: number }[] = [];
  /** The replica has everything from before this time. */
  let currentAtMs = -Infinity;
  let wasUsed: boolean | null = null;
  /** Lists that the replica has not answered yet: what makes each of them go to the primary. */
  const waiting = new Set<(reason: Error) => void>();
  const isUsable = () => performance.now() - currentAtMs <= maxLagMs;
  const report = (error?: unknown) => {
    if (isUsable() === wasUsed) return;
    wasUsed = isUsable();
    onChange(wasUsed, error);
  };
  const giveUp = (error: unknown) => {
    currentAtMs = -Infinity;
    report(error);
  };
  const check = async () => {
    const atMs = performance.now();
    written = written.filter((one) => atMs - one.atMs <= maxLagMs);
    const position = await positionOf(primary, WRITTEN);
    if (position !== null) written.push({ position, atMs });
    const replayed = await positionOf(replica, REPLAYED);
    if (replayed === null) throw new Error('LOCI_DATABASE_REPLICA_URL does not lead to a replica in recovery');
    const reached = written.findLast((one) => one.position <= replayed);
    if (reached) currentAtMs = reached.atMs;
    report();
  };
  const failed = (error: unknown) => {
    giveUp(error);
    for (const leave of waiting) leave(new Error('the replica does not answer', { cause: error }));
  };
  const checkMs = Math.min(maxLagMs, MAX_CHECK_MS);
  const everyMs = Math.min(maxLagMs / CHECKS_WITHIN_MAX_LAG, MAX_CHECK_EVERY_MS);
  const stopChecks = repeat(() => within(checkMs, check()).catch(failed), everyMs);
  return {
    async read(call) {
      if (!isUsable()) return call(stores);
      const { promise: left, reject: leave } = Promise.withResolvers<never>();
      waiting.add(leave);
      try {
        return await Promise.race([call(replicaStores), left]);
      } catch (error) {
        const isAway = error instanceof AppError && error.code === 'dependency_unavailable';
        if (error instanceof AppError && !isAway) throw error;
        if (isAway && !isCancelled(error)) giveUp(error);
        return call(stores);
      } finally {
        waiting.delete(leave);
      }
    },
    current: readsOfPrimary(stores),
    close: stopChecks,
  };
}

function isCancelled({ cause }: AppError): boolean {
  return cause instanceof Error && 'code' in cause && CANCELLED.test(String(cause.code));
}

async function positionOf(database: Database, sql: string): Promise<bigint | null> {
  const row = await queryOne<{ position: string | null }>(database, sql);
  return row?.position === null || row?.position === undefined ? null : BigInt(row.position);
}

/** Waits for work, which may go on. @throws Error when it takes longer than that. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no position was read within ${ms} ms`)), ms);
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs something again and again, with a pause after each time. Returns a function that ends it and waits for the last time. */
function repeat(work: () => Promise<void>, everyMs: number): () => Promise<void> {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const runOnce = async () => {
    await work();
    if (!isEnded) timer = setTimeout(run, everyMs).unref();
  };
  const run = () => {
    running = runOnce();
  };
  run();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await running;
  };
}
