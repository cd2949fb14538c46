import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { readConfig } from '#config/index.ts';
import { migrationSource } from '#migrations/source.ts';
import { createSilentLog } from '#observability/log.ts';
import type { Services } from '#operations/services.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createEgress } from '#security/egress/egress.ts';
import { buildServices, openDependencies } from '#services/build-services.ts';
import { createPostgres, query, type Database } from '#store/postgres.ts';
import { DOWNLOAD_ADDRESS, testStack } from './stack.ts';

/** An address on which nothing listens, for a Temporal server that is down. */
const CLOSED_PORT = '127.0.0.1:1';

/** `environment`: the settings that were changed, with which another process can use the same database and store. */
export type OwnServices = {
  services: Services;
  database: Database;
  databaseUrl: string;
  blobDir: string;
  environment: Record<string, string>;
};

/** `schema`: that of the database. */
export type OwnOptions = {
  temporal?: 'running' | 'away';
  settings?: Record<string, string>;
  schema?: 'current' | 'none';
};

/**
 * Services on a database and a blob folder of their own, so that the loops of the running worker do not interfere.
 * Postgres, Weaviate and Temporal are those of the stack. Everything is removed at the end of the test.
 */
export async function openOwnServices(
  t: ExecutionContext,
  { temporal = 'running', settings = {}, schema = 'current' }: OwnOptions = {},
): Promise<OwnServices> {
  const { database, url: databaseUrl } = await openDatabase(t, schema);
  const blobDir = await mkdtemp(join(tmpdir(), 'loci-test-blobs-'));
  const config = readConfig({ ...ownSettings(blobDir, temporal), ...settings });
  const closing = new AsyncDisposableStack();
  t.teardown(async () => {
    await closing.disposeAsync();
    await rm(blobDir, { recursive: true, force: true });
  });
  const services = buildServices(config, {
    dependencies: await openDependencies(config, database, { closing }),
    models: createModelCatalogue(),
    egress: createEgress({ allow: config.egressAllow }),
    log: createSilentLog(),
    closing,
  });
  const environment = { ...ownSettings(blobDir, temporal), LOCI_DATABASE_URL: databaseUrl, ...settings };
  return { services, database, databaseUrl, blobDir, environment };
}

function ownSettings(blobDir: string, temporal: 'running' | 'away'): Record<string, string> {
  const stack = testStack();
  return {
    LOCI_DATABASE_URL: stack.databaseUrl,
    LOCI_TEMPORAL_ADDRESS: temporal === 'running' ? stack.temporal.address : CLOSED_PORT,
    LOCI_TEMPORAL_NAMESPACE: stack.temporal.namespace,
    LOCI_WEAVIATE_URL: stack.weaviate.url,
    LOCI_WEAVIATE_GRPC: stack.weaviate.grpc,
    LOCI_WEAVIATE_API_KEY: stack.weaviate.apiKey,
    LOCI_BLOB_DIR: blobDir,
    // A second process of the stack opens what these services seal.
    LOCI_SECRET_KEYS: stack.environment['LOCI_SECRET_KEYS'] ?? '',
    LOCI_API_KEY_PEPPER: 'x'.repeat(32),
    LOCI_EMBEDDER: 'lexical',
    LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS,
    LOCI_PUBLIC_URL: 'http://localhost',
    LOCI_OAUTH_REDIRECTS: 'https://app.example.com/connected',
    LOCI_MAX_FILE_BYTES: '1000000',
    LOCI_MAX_REQUEST_BYTES: '10000000',
    LOCI_MAX_REQUEST_ITEMS: '100',
    LOCI_CRAWL_MAX_PAGES: '1000',
  };
}

/** An empty database with the current schema on the stack's Postgres; dropped at the end of the test. */
export async function openOwnDatabase(t: ExecutionContext): Promise<Database> {
  return (await openDatabase(t)).database;
}

async function openDatabase(t: ExecutionContext, schema: 'current' | 'none' = 'current') {
  const own = await (schema === 'current' ? createOwnDatabase() : createDatabase());
  // Teardowns run in reverse: the pool is closed after everything that uses it.
  t.teardown(() => own.drop());
  return own;
}

/** A database without a schema; dropped at the end of the test. */
export async function openEmptyDatabase(t: ExecutionContext): Promise<Database> {
  return (await openDatabase(t, 'none')).database;
}

type OwnDatabase = { url: string; database: Database; drop(): Promise<void> };

/** An empty database with the current schema on the stack's Postgres. The caller drops it. */
export async function createOwnDatabase(): Promise<OwnDatabase> {
  template ??= ensureTemplate();
  await template;
  return copying(() => createDatabase(`template ${TEMPLATE}`));
}

/** A database with the current schema, of which each test gets a copy: a copy takes a fraction of the time of the migrations. */
const TEMPLATE = 'own_template';
const UNFINISHED_TEMPLATE = 'own_template_unfinished';

let template: Promise<void> | undefined;
/** A file begins all its tests at once. More copies at a time would not end sooner, but delay the first connection to each. */
const copying = pLimit(2);

/** Migrates the template once for each stack. Other test files wait for the one that does. */
async function ensureTemplate(): Promise<void> {
  await asOwner(async (owner) => {
    await query(owner, 'select pg_advisory_lock(hashtext(:TEMPLATE))', { TEMPLATE });
    const found = await query(owner, 'select 1 from pg_database where datname = :TEMPLATE', { TEMPLATE });
    if (found.length > 0) return;
    // Left by a test process that was ended.
    await query(owner, `drop database if exists ${UNFINISHED_TEMPLATE} with (force)`);
    await query(owner, `create database ${UNFINISHED_TEMPLATE}`);
    const { database } = openDatabaseOf(UNFINISHED_TEMPLATE);
    try {
      await database.migrate.latest({ migrationSource });
    } finally {
      await database.destroy();
    }
    await query(owner, `alter database ${UNFINISHED_TEMPLATE} rename to ${TEMPLATE}`);
  });
}

async function createDatabase(options = ''): Promise<OwnDatabase> {
  const name = `own_${randomBytes(6).toString('hex')}`;
  await asOwner((owner) => query(owner, `create database ${name} ${options}`));
  const { url, database } = openDatabaseOf(name);
  const drop = async () => {
    await database.destroy();
    await asOwner((owner) => query(owner, `drop database ${name} with (force)`));
  };
  return { url, database, drop };
}

function openDatabaseOf(name: string): { url: string; database: Database } {
  const url = new URL(testStack().databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, database: createPostgres({ url: url.href, poolSize: 12, applicationName: 'loci-test' }) };
}

/** Runs statements over one connection to the stack's database. */
async function asOwner(run: (owner: Database) => Promise<unknown>): Promise<void> {
  const owner = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  try {
    await run(owner);
  } finally {
    await owner.destroy();
  }
}
