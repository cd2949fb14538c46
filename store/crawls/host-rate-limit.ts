import { query, queryOne, type Database } from '#store/postgres.ts';

/** `isMine` false: it would be so long until the next turn, and none was taken. */
export type RequestSlot = { isMine: boolean; inMs: number };

export type RequestSlotOptions = {
  /** Between this turn and the next. */
  everyMs: number;
  /** True for who knows what the host asks for; else the longest that others know of counts. */
  isKnown: boolean;
  patienceMs: number;
};

/** Turns at asking a host, over all crawls. */
export function createHostRateLimit(database: Database) {
  return {
    takeHostTurn: (hostHash: string, turn: RequestSlotOptions) => takeHostTurn(database, hostHash, turn),
    restHost: (hostHash: string, forMs: number) => restHost(database, hostHash, forMs),
    forgetHosts: () => forgetHosts(database),
  };
}

/**
 * Takes the next turn of a host, for all workers and crawls there are: turns are at least `everyMs` apart. None is taken when it
 * is more than `patienceMs` away.
 */
async function takeHostTurn(
  database: Database,
  hostHash: string,
  { everyMs, isKnown, patienceMs }: RequestSlotOptions,
): Promise<RequestSlot> {
  const taken = await queryOne<{ ms: number }>(
    database,
    `insert into host_turns as turns (host_hash, next_at, every_ms)
       values (:hostHash, clock_timestamp() + :everyMs::int * interval '1 millisecond', :everyMs)
     on conflict (host_hash) do update
       set every_ms = case when :isKnown then excluded.every_ms else greatest(turns.every_ms, excluded.every_ms) end,
         next_at = greatest(turns.next_at, clock_timestamp()) + interval '1 millisecond'
           * case when :isKnown then excluded.every_ms else greatest(turns.every_ms, excluded.every_ms) end
       where turns.next_at <= clock_timestamp() + :patienceMs::bigint * interval '1 millisecond'
     returning (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint - every_ms as ms`,
    { hostHash, everyMs, isKnown, patienceMs },
  );
  if (taken) return { isMine: true, inMs: Math.max(taken.ms, 0) };
  const next = await queryOne<{ ms: number }>(
    database,
    `select (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint as ms from host_turns where host_hash = :hostHash`,
    { hostHash },
  );
  return { isMine: false, inMs: Math.max(next?.ms ?? 0, 0) };
}

/** Leaves a host alone for a while, as it asked to be. */
async function restHost(database: Database, hostHash: string, forMs: number): Promise<void> {
  await query(
    database,
    `update host_turns set next_at = greatest(next_at, clock_timestamp() + :forMs::bigint * interval '1 millisecond')
     where host_hash = :hostHash`,
    { hostHash, forMs },
  );
}

/** Forgets hosts that nobody asked for an hour. */
async function forgetHosts(database: Database): Promise<void> {
  await query(database, `delete from host_turns where next_at < now() - interval '1 hour'`);
}
