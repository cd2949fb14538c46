import { createPostgres, query } from '#store/postgres.ts';
import { migrationSource } from './source.ts';

/** Any number that no other user of the database takes. */
const LOCK = 4_716_208_801;

/**
 * Brings the database of `LOCI_DATABASE_URL` to the newest schema; safe to run twice and from several machines at once.
 * An advisory lock orders the runs and vanishes with its connection, so the table lock that knex keeps, which a killed
 * run leaves behind, can be taken away.
 */
async function main(): Promise<void> {
  const url = process.env['LOCI_DATABASE_URL'];
  if (!url) throw new Error('LOCI_DATABASE_URL is required: postgres://user:password@host:port/database');
  const guard = createPostgres({ url, poolSize: 1, applicationName: 'loci-migrate-lock' });
  const knex = createPostgres({ url, poolSize: 2, applicationName: 'loci-migrate' });
  try {
    await query(guard, 'select pg_advisory_lock(:lock)', { lock: LOCK });
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
