import { query, queryOne, type Database } from './postgres.ts';

/** `isMine` false: it would be so long until the next turn, and none was taken. */
export type HostTurn = { isMine: boolean; inMs: number };

/** Turns at asking a host, over all crawls. */
export function createHostTurns(database: Database) {
  return {
    takeHostTurn: (hostHash: string, turn: { everyMs: number; patienceMs: number }) =>
      takeHostTurn(database, hostHash, turn),
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
  { everyMs, patienceMs }: { everyMs: number; patienceMs: number },
): Promise<HostTurn> {
  const taken = await queryOne<{ ms: number }>(
    database,
    `insert into host_turns (host_hash, next_at) values (:hostHash, clock_timestamp() + :everyMs::bigint * interval '1 millisecond')
     on conflict (host_hash) do update
       set next_at = greatest(host_turns.next_at, clock_timestamp()) + :everyMs::bigint * interval '1 millisecond'
       where host_turns.next_at <= clock_timestamp() + :patienceMs::bigint * interval '1 millisecond'
     returning (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint - :everyMs::bigint as ms`,
    { hostHash, everyMs, patienceMs },
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
