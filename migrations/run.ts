import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { ConfigError } from '#config/config-error.ts';
import { withoutSecretFiles } from '#config/secret-files.ts';
import { createPostgres } from '#store/postgres.ts';
import { prepareApplicationRole } from './application-role.ts';
import { guardMigrations } from './guard.ts';
import { migrationSource } from './source.ts';

/** Statements of migrations may take as long as the tables are large. */
const UNLIMITED = { statementTimeoutMs: 0 };
/** A migration that waits for a table makes everybody who comes later wait as well: after this time it steps back. */
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_ATTEMPTS = 100;
const LOCK_RETRY_MS = 3_000;
/** The lock was not available in time, or a deadlock was found. */
const BUSY = new Set<unknown>(['55P03', '40P01']);

/** How knex says that the database has migrations that are not in the source. */
const UNKNOWN_MIGRATIONS = 'The migration directory is corrupt';

class OlderBuild extends Error {
  constructor(cause: Error) {
    const names = cause.message.replace(/^.*: /, '');
    super(
      `The database was migrated by a newer build of Loci: this one does not know ${names}. Start that build or a newer one. ` +
        'To go back, restore the backup that was made before the upgrade.',
      { cause },
    );
  }
}

/**
 * Migrates the database to the newest schema, as the role of `LOCI_MIGRATION_DATABASE_URL`, which owns the tables. The role of
 * `LOCI_DATABASE_URL`, which the API and the workers use, is created if it is missing, and may only read and write rows. Where
 * only `LOCI_DATABASE_URL` is set, its role does both. Safe to run twice, and from several machines at once: an
 * advisory lock, which ends with its connection, serializes the runs. Therefore knex's own lock row, which a killed run
 * leaves behind, can be removed.
 */
async function main(): Promise<void> {
  const settings = withoutSecretFiles(process.env);
  const applicationUrl = settings['LOCI_DATABASE_URL'];
  const url = settings['LOCI_MIGRATION_DATABASE_URL'] ?? applicationUrl;
  if (!url || !applicationUrl)
    throw new Error('LOCI_DATABASE_URL is required: postgres://user:password@host:port/database');
  const release = await guardMigrations(url);
  const knex = createPostgres({
    ...UNLIMITED,
    url,
    poolSize: 2,
    applicationName: 'loci-migrate',
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  try {
    await knex.migrate.forceFreeMigrationsLock({ migrationSource });
    const names = await migrateWithRetries(knex);
    if (url !== applicationUrl) await prepareApplicationRole(url, applicationUrl);
    console.log(names.length > 0 ? `migrated: ${names.join(', ')}` : 'schema is up to date');
  } finally {
    await knex.destroy();
    await release();
  }
}

/** Runs the missing migrations, again while a table that they change is in use. Returns their names. */
async function migrateWithRetries(knex: Knex): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result: unknown = await knex.migrate.latest({ migrationSource });
      return Array.isArray(result) && Array.isArray(result[1]) ? result[1] : [];
    } catch (error) {
      if (error instanceof Error && error.message.includes(UNKNOWN_MIGRATIONS)) throw new OlderBuild(error);
      const isBusy = error instanceof Error && 'code' in error && BUSY.has(error.code);
      if (!isBusy || attempt === LOCK_ATTEMPTS) throw error;
      console.log('a table is in use; trying again');
      await delay(LOCK_RETRY_MS);
    }
  }
}

try {
  await main();
} catch (error) {
  // What the person who runs it can mend needs no stack trace.
  console.error(error instanceof OlderBuild || error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
