import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** Key of the advisory lock: any number that nothing else in the database uses. */
const LOCK_KEY = 4_716_208_801;
const CONNECTION_TIMEOUT_MS = 10_000;
const RETRY_MS = 500;

/** The lock ends with its connection, which therefore is of no pool and has no time limits. */
const UNLIMITED = '-c statement_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0';

/**
 * Waits until no other process migrates the database, and keeps others from it until the returned function is called. It asks again
 * and again: a statement that waits would have a snapshot, which the indexes that the other process builds have to wait for.
 * Without the lock, nothing may go on: if its connection ends, so does the process.
 */
export async function guardMigrations(url: string): Promise<() => Promise<void>> {
  const client = new Client({
    connectionString: url,
    application_name: 'loci-migrate-lock',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    options: UNLIMITED,
  });
  client.on('error', (error) => {
    console.error(`The connection that keeps other migrations away is lost; run the migration again: ${error.message}`);
    process.exit(1);
  });
  await client.connect();
  for (let isFirst = true; ; isFirst = false) {
    const found = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK_KEY]);
    if (found.rows[0]?.taken === true) return () => client.end();
    if (isFirst) console.log('another process migrates this database; waiting for it');
    await delay(RETRY_MS);
  }
}
