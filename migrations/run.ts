import { createPostgres, query } from '#store/postgres.ts';
import { prepareApplicationRole } from './application-role.ts';
import { migrationSource } from './source.ts';

/** Key of the advisory lock: any number that nothing else in the database uses. */
const LOCK_KEY = 4_716_208_801;

/**
 * Migrates the database to the newest schema, as the role of `LOCI_MIGRATION_DATABASE_URL`, which owns the tables. The role of
 * `LOCI_DATABASE_URL`, which the API and the workers use, is created if it is missing, and may only read and write rows. Where
 * only `LOCI_DATABASE_URL` is set, its role does both. Safe to run twice, and from several machines at once: an
 * advisory lock, which ends with its connection, serializes the runs. Therefore knex's own lock row, which a killed run
 * leaves behind, can be removed.
 */
async function main(): Promise<void> {
  const applicationUrl = process.env['LOCI_DATABASE_URL'];
  const url = process.env['LOCI_MIGRATION_DATABASE_URL'] || applicationUrl;
  if (!url || !applicationUrl)
    throw new Error('LOCI_DATABASE_URL is required: postgres://user:password@host:port/database');
  const guard = createPostgres({ url, poolSize: 1, applicationName: 'loci-migrate-lock' });
  const knex = createPostgres({ url, poolSize: 2, applicationName: 'loci-migrate' });
  try {
    await query(guard, 'select pg_advisory_lock(:lock)', { lock: LOCK_KEY });
    await knex.migrate.forceFreeMigrationsLock({ migrationSource });
    const result: unknown = await knex.migrate.latest({ migrationSource });
    const names = Array.isArray(result) && Array.isArray(result[1]) ? result[1] : [];
    if (url !== applicationUrl) await prepareApplicationRole(url, applicationUrl);
    console.log(names.length > 0 ? `migrated: ${names.join(', ')}` : 'schema is up to date');
  } finally {
    await knex.destroy();
    await guard.destroy();
  }
}

await main();
