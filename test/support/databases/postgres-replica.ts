import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { reservePorts } from '#stack/reserve-ports.ts';
import { findRunnableBinaries } from '#stack/servers/local-postgres.ts';
import { findOrCreatePostgresAccount, type PostgresAccount } from '#stack/servers/postgres-account.ts';
import { eventually } from '#test/support/harness/eventually.ts';

/** A streaming replica of a server. */
export type PostgresReplica = {
  /** The same database as that of a URL of the primary. */
  urlOf(primaryUrl: string): string;
  /** Ends it at once, with all its connections. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

/** As large as that of the primary, which a replica demands. */
const MAX_CONNECTIONS = '150';

/** Copies the server of `ownerUrl` with `pg_basebackup` from the folder `tools`, and starts the copy as its replica. */
export async function startPostgresReplica(tools: string, ownerUrl: string): Promise<PostgresReplica> {
  const account = await findOrCreatePostgresAccount(() => undefined);
  const binaries = await findRunnableBinaries(account);
  const folder = await mkdtemp(join(tmpdir(), 'loci-replica-'));
  const dataDir = join(folder, 'data');
  const from = ['--dbname', ownerUrl, '--pgdata', dataDir, '--checkpoint', 'fast', '--write-recovery-conf'];
  await promisify(execFile)(join(tools, 'pg_basebackup'), from);
  if (account !== null) await giveTo(account, folder, dataDir);
  const [port = 0] = await reservePorts();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    fsync: 'off',
  };
  const args = ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const server = spawn(join(binaries, 'postgres'), args, { cwd: '/', stdio: 'ignore', ...account });
  process.once('exit', () => server.kill('SIGQUIT'));
  const urlOf = (primaryUrl: string) => Object.assign(new URL(primaryUrl), { port: String(port) }).href;
  await eventually('the replica answers', () => answers(urlOf(ownerUrl)));
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGINT');
    await once(server, 'exit');
  };
  return {
    urlOf,
    stop,
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL does not run as root. */
async function giveTo({ uid, gid }: PostgresAccount, folder: string, dataDir: string): Promise<void> {
  await chmod(folder, 0o711);
  await chown(dataDir, uid, gid);
  for (const entry of await readdir(dataDir, { withFileTypes: true, recursive: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid);
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
