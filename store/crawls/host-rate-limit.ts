import { query, queryOne, type Database } from '#store/postgres.ts';

/** A slot for one request to a host, `waitMs` from now. Not reserved when it was too far away. */
export type RequestSlot = { isReserved: boolean; waitMs: number };

export type RequestSlotOptions = {
  /** Between this slot and the next. */
  intervalMs: number;
  /** True when the caller has read the host's robots.txt; otherwise the longest interval that any caller gave applies. */
  isIntervalKnown: boolean;
  /** No slot is reserved when it is further away. */
  maxWaitMs: number;
};

/** Rate limit of requests to a host, across all crawls, workspaces and workers. */
export function createHostRateLimit(database: Database) {
  return {
    reserveRequestSlot: (hostHash: string, slot: RequestSlotOptions) => reserveRequestSlot(database, hostHash, slot),
    pauseHost: (hostHash: string, forMs: number) => pauseHost(database, hostHash, forMs),
    deleteIdleHosts: () => deleteIdleHosts(database),
  };
}

/** Reserves the next slot of a host. Slots are at least `intervalMs` apart. */
async function reserveRequestSlot(
  database: Database,
  hostHash: string,
  { intervalMs, isIntervalKnown, maxWaitMs }: RequestSlotOptions,
): Promise<RequestSlot> {
  const reserved = await queryOne<{ ms: number }>(
    database,
    `insert into host_turns as turns (host_hash, next_at, every_ms)
       values (:hostHash, clock_timestamp() + :intervalMs::int * interval '1 millisecond', :intervalMs)
     on conflict (host_hash) do update
       set every_ms = case when :isIntervalKnown then excluded.every_ms else greatest(turns.every_ms, excluded.every_ms) end,
         next_at = greatest(turns.next_at, clock_timestamp()) + interval '1 millisecond'
           * case when :isIntervalKnown then excluded.every_ms else greatest(turns.every_ms, excluded.every_ms) end
       where turns.next_at <= clock_timestamp() + :maxWaitMs::bigint * interval '1 millisecond'
     returning (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint - every_ms as ms`,
    { hostHash, intervalMs, isIntervalKnown, maxWaitMs },
  );
  if (reserved) return { isReserved: true, waitMs: Math.max(reserved.ms, 0) };
  const next = await queryOne<{ ms: number }>(
    database,
    `select (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint as ms from host_turns where host_hash = :hostHash`,
    { hostHash },
  );
  return { isReserved: false, waitMs: Math.max(next?.ms ?? 0, 0) };
}

/** Reserves no slots of a host for a while, e.g. because it answered that it is overloaded. */
async function pauseHost(database: Database, hostHash: string, forMs: number): Promise<void> {
  await query(
    database,
    `update host_turns set next_at = greatest(next_at, clock_timestamp() + :forMs::bigint * interval '1 millisecond')
     where host_hash = :hostHash`,
    { hostHash, forMs },
  );
}

/** Deletes the rows of hosts whose last slot is more than an hour ago. */
async function deleteIdleHosts(database: Database): Promise<void> {
  await query(database, `delete from host_turns where next_at < now() - interval '1 hour'`);
}
