import { createPostgres, query } from '#store/postgres.ts';
import { migrationSource } from './source.ts';

/** Key of the advisory lock: any number that nothing else in the database uses. */
const LOCK_KEY = 4_716_208_801;

/**
 * Migrates the database of `LOCI_DATABASE_URL` to the newest schema. Safe to run twice, and from several machines at once: an
 * advisory lock, which ends with its connection, serializes the runs. Therefore knex's own lock row, which a killed run
 * leaves behind, can be removed.
 */
async function main(): Promise<void> {
  const url = process.env['LOCI_DATABASE_URL'];
  if (!url) throw new Error('LOCI_DATABASE_URL is required: postgres://user:password@host:port/database');
  const guard = createPostgres({ url, poolSize: 1, applicationName: 'loci-migrate-lock' });
  const knex = createPostgres({ url, poolSize: 2, applicationName: 'loci-migrate' });
  try {
    await query(guard, 'select pg_advisory_lock(:lock)', { lock: LOCK_KEY });
    await knex.migrate.forceFreeMigrationsLock({ migrationSource });
    const result: unknown = await knex.migrate.latest({ migrationSource });
    const names = Array.isArray(result) && Array.isArray(result[1]) ? result[1] : [];
    console.log(names.length > 0 ? `migrated: ${names.join(', ')}` : 'schema is up to date');
  } finally {
    await knex.destroy();
    await guard.destroy();
  }
}

await main();
