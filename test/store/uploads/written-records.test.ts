import test from 'ava';
import { ingestText, openIngestion } from '#bench/scale/ingest-text.ts';
import { createPostgres, query, queryOne, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';

const WARM_UP = 50;
const TEXTS = 200;
/** Changes of rows and of index entries, locks and commits. Of pages that are split there are few. */
const MAX_RECORDS = 66;

/** Records that this connection, the only one of the pool, has written to the write-ahead log. */
async function recordsOf(database: Database): Promise<number> {
  await query(database, 'select pg_stat_force_next_flush()');
  const row = await queryOne<{ records: number }>(
    database,
    'select wal_records as records from pg_stat_get_backend_wal(pg_backend_pid())',
  );
  return row?.records ?? 0;
}

test('a text of one chunk is ingested with few records of the write-ahead log', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const database = createPostgres({ url: own.url, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const ingestion = await openIngestion(createStores(database));
  for (let number = 0; number < WARM_UP; number += 1) await ingestText(ingestion, number);
  const before = await recordsOf(database);
  for (let number = 0; number < TEXTS; number += 1) await ingestText(ingestion, WARM_UP + number);
  const each = ((await recordsOf(database)) - before) / TEXTS;
  t.true(each > 30 && each <= MAX_RECORDS, `${each} records`);
});
