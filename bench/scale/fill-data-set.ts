import { query, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { CONTENT_STATEMENTS } from './content-rows.ts';
import { OTHER_STATEMENTS } from './other-rows.ts';

/** Numbers of rows. The largest collection has two fifths of the contents; the others get smaller and smaller. */
export type DataSetSize = {
  chunks: number;
  contents: number;
  collections: number;
  memories: number;
  deliveries: number;
};

/** What the statements need to know of the data. */
export type DataSet = {
  workspaceId: string;
  /** The largest first. */
  collectionIds: string[];
  /** An upload of all contents of the largest collection. */
  uploadId: string;
  /** Somebody with many memories. */
  userId: string;
  /** When half of the contents were there, in microseconds. */
  middleUs: number;
};

type Log = (line: string) => void;

/**
 * Fills an empty database of the current schema. The same size gives the same data, apart from the times. Writes directly to the
 * tables, as their owner, without triggers: ingesting that much would take days.
 */
export async function fillDataSet(database: Database, size: DataSetSize, log: Log = () => undefined): Promise<DataSet> {
  await database.transaction(async (transaction) => {
    await query(transaction, `set local session_replication_role = replica`);
    await query(transaction, `set local statement_timeout = 0`);
    await query(transaction, `set local max_parallel_workers_per_gather = 0`);
    await query(transaction, `select setseed(0.42)`);
    for (const { what, sql } of [...CONTENT_STATEMENTS, ...OTHER_STATEMENTS]) {
      const startedMs = performance.now();
      // Postgres deduces the type of a parameter from its use; text is not a number there.
      const used = Object.entries(size).filter(([name]) => new RegExp(`:${name}\\b`).test(sql));
      await query(transaction, sql, Object.fromEntries(used));
      log(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    }
  });
  await countContents(database);
  // Statistics as in a database that has been in use for a while.
  await query(database, `set statement_timeout = 0`);
  await query(database, `vacuum analyze`);
  return describeDataSet(database);
}

async function describeDataSet(database: Database): Promise<DataSet> {
  const [row] = await query<DataSet>(
    database,
    `select (select workspace_id from filled_collections limit 1) as "workspaceId",
       array(select id from filled_collections order by place) as "collectionIds",
       (select id from uploads where total_uploads > 1 order by total_uploads desc limit 1) as "uploadId",
       'user-1' as "userId",
       (select (percentile_cont(0.5) within group (order by extract(epoch from created_at)) * 1e6)::bigint
        from filled_contents) as "middleUs"`,
  );
  if (!row) throw new Error('the data set has no workspace');
  return row;
}

/** Corrects the counts of every collection, which nobody has kept. */
async function countContents(database: Database): Promise<void> {
  await query(database, `set statement_timeout = 0`);
  await query(database, COUNT_UPLOADS);
  await query(
    database,
    `insert into collection_counts (collection_id, status, workspace_id, contents, chunks, bytes, checked_at)
     select id, 'all', workspace_id, 0, 0, 0, '2020-01-01' from filled_collections`,
  );
  const { system } = createStores(database);
  while ((await system.checkCounts()) !== null);
  while (await system.foldCounts());
}

const COUNT_UPLOADS = `
  with counted as (
    update uploads set is_counted = true where total_uploads > 20 returning id
  )
  insert into upload_counts (upload_id, status, workspace_id, contents, chunks)
  select cc.upload_id, part.status, cc.workspace_id, count(*), sum(part.chunks)
  from counted join content_collections cc on cc.upload_id = counted.id
  cross join lateral (values ('all', cc.chunk_count), (cc.stage, 0)) part(status, chunks) group by 1, 2, 3`;
