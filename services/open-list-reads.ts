import type { Config } from '#config/index.ts';
import type { Log } from '#observability/log.ts';
import { createReplicaReads, readsOfPrimary, type ListReads } from '#store/list-reads.ts';
import { createPostgres, type Database } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';

type Parts = {
  database: Database;
  stores: Stores;
  log: Log;
  closing: AsyncDisposableStack;
  statementTimeoutMs: number;
};

/** Opens the replica that lists are read from; without one they are read from the primary. It registers itself in `closing`. */
export function openListReads({ database, replica }: Config, parts: Parts): ListReads {
  const { stores, log, closing, statementTimeoutMs } = parts;
  if (replica.url === null) return readsOfPrimary(stores);
  const connection = { ...database, url: replica.url, statementTimeoutMs };
  const pool = createPostgres({ ...connection, applicationName: 'loci-api-lists' });
  closing.defer(() => pool.destroy());
  const reads = createReplicaReads({
    primary: parts.database,
    replica: pool,
    stores,
    maxLagMs: replica.maxLagMs,
    onChange: (isUsed, error) => {
      if (isUsed) log.info({}, 'lists are read from the replica');
      else log.warn({ error }, 'the replica is away or too far behind; lists are read from the primary');
    },
  });
  closing.defer(() => reads.close());
  return reads;
}
