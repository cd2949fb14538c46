/**
 * `npm run bench:wal [-- --texts 2000] [--relations]`: takes texts of one chunk through the statements of their ingestion, each an
 * upload of its own, on a PostgreSQL of its own, and prints the write-ahead log and the updates of rows for each text; with
 * `--relations` also what was written of each table and index.
 */
import { parseArgs } from 'node:util';
import { query, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { ingestText, openIngestion } from './ingest-text.ts';
import { withPrivatePostgres } from './private-postgres.ts';

const { values: options } = parseArgs({
  options: { texts: { type: 'string', default: '2000' }, relations: { type: 'boolean', default: false } },
});
const texts = Number(options.texts);

type Written = { bytes: number; records: number };
type Updates = { name: string; updates: number; hot: number };

const written = async (database: Database): Promise<Written> => {
  const [row] = await query<Written>(
    database,
    'select wal_bytes::bigint as bytes, wal_records as records from pg_stat_wal',
  );
  return row ?? { bytes: 0, records: 0 };
};

type Position = { lsn: string };
type Part = { relation: string; kind: string; records: number; bytes: number };

/** Records by the relation that they change first, and by kind; the largest sums first. */
const PARTS = `with record as (select * from pg_get_wal_records_info(:from::pg_lsn, :to::pg_lsn)),
    change as (
      select distinct on (start_lsn) start_lsn, relfilenode from pg_get_wal_block_info(:from::pg_lsn, :to::pg_lsn, false)
      order by start_lsn, block_id)
  select coalesce(c.relname, '(none)') as relation, r.resource_manager || ' ' || r.record_type as kind,
    count(*) as records, sum(r.record_length)::bigint as bytes
  from record r left join change b using (start_lsn) left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  group by 1, 2 having sum(r.record_length) > :least order by bytes desc`;

const flushed = async (database: Database): Promise<string> => {
  const [row] = await query<Position>(database, 'select pg_current_wal_flush_lsn() as lsn');
  return row?.lsn ?? '';
};

async function printParts(database: Database, from: string): Promise<void> {
  await query(database, 'create extension pg_walinspect');
  const parts = await query<Part>(database, PARTS, { from, to: await flushed(database), least: texts });
  for (const { relation, kind, records, bytes } of parts)
    console.log(`${relation}, ${kind}: ${(records / texts).toFixed(2)} records, ${(bytes / texts).toFixed(0)} bytes`);
}

await withPrivatePostgres(async ({ owner, application }) => {
  const ingestion = await openIngestion(createStores(application));
  for (let number = 0; number < 200; number += 1) await ingestText(ingestion, number);
  await query(owner, 'vacuum analyze');
  await query(owner, 'select pg_stat_reset()');
  await query(owner, 'select pg_stat_force_next_flush()');
  const before = await written(owner);
  const from = await flushed(owner);
  for (let number = 0; number < texts; number += 1) {
    await ingestText(ingestion, 1000 + number);
    if (number % 50 === 0) await ingestion.fold();
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const after = await written(owner);
  console.log(`${texts} texts: ${((after.bytes - before.bytes) / texts).toFixed(0)} bytes,`);
  console.log(`${((after.records - before.records) / texts).toFixed(1)} records each`);
  if (options.relations) await printParts(owner, from);
  const updates = await query<Updates>(
    owner,
    `select relname as name, n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
     where n_tup_upd > 0 order by 2 desc`,
  );
  for (const { name, updates: all, hot } of updates)
    console.log(`${name}: ${(all / texts).toFixed(2)} updates of a text, ${(hot / texts).toFixed(2)} of them HOT`);
});
