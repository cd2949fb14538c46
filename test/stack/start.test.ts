import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';

/** Runs a program with arguments that fails, without any setting of this process, and returns what it said. */
async function failureOf(t: ExecutionContext, program: string, env: Record<string, string>) {
  const [main = '', ...args] = program.split(' ');
  const baseEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_')));
  const failed = runCommand({ file: process.execPath, args: [join(PROJECT_DIR, main), ...args], env, baseEnvironment });
  return (await t.throwsAsync(failed)).message;
}

/** Writes each value to a file, and returns the settings that name these files. */
async function inFiles(folder: string, values: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const settings = Object.entries(values).map(async ([name, value]) => {
    await writeFile(join(folder, name), `${value}\n`);
    return [`${name}_FILE`, join(folder, name)] as const;
  });
  return Object.fromEntries(await Promise.all(settings));
}

async function ownFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const SECRETS = {
  LOCI_SECRET_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  LOCI_API_KEY_PEPPER: 'p'.repeat(32),
  LOCI_ADMIN_TOKEN: 'a'.repeat(32),
};

test('npm start refuses arguments instead of ignoring them, and says where settings are', async (t) => {
  const message = await failureOf(t, 'stack/start.ts --port 9700', {});
  t.regex(message, /takes no arguments, but got: --port 9700[\s\S]*LOCI_PORT=9700 npm start/);
});

test('npm start accepts each setting in a file and empty ones, and names only what is wrong', async (t) => {
  const folder = await ownFolder(t);
  const files = await inFiles(folder, {
    ...SECRETS,
    LOCI_DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x',
    LOCI_LOG_LEVEL: 'loud',
  });
  const empty = { LOCI_DATABASE_REPLICA_URL: '', LOCI_EMBEDDER_MODEL: '', LOCI_SHUTDOWN_DELAY_S: '' };
  const message = await failureOf(t, 'stack/start.ts', { ...files, ...empty });
  t.regex(message, /The configuration is invalid:\n {2}- LOCI_LOG_LEVEL.*$/);
  const missing = await failureOf(t, 'stack/start.ts', { LOCI_SECRET_KEYS_FILE: join(folder, 'none') });
  t.regex(missing, /LOCI_SECRET_KEYS_FILE names a file that cannot be read[^\n]*$/);
  const twice = await failureOf(t, 'stack/start.ts', { ...files, LOCI_ADMIN_TOKEN: 'b'.repeat(32) });
  t.regex(twice, /LOCI_ADMIN_TOKEN and LOCI_ADMIN_TOKEN_FILE are both set/);
});

test('npm start reads the ports and the addresses of servers from files as well', async (t) => {
  const folder = await ownFolder(t);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // it listens at a port
  const files = await inFiles(folder, {
    ...SECRETS,
    LOCI_DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x',
    LOCI_TEMPORAL_ADDRESS: '127.0.0.1:9',
    LOCI_WEAVIATE_URL: 'http://127.0.0.1:9',
    LOCI_PORT: String(port),
    LOCI_WORKER_PORT: '8',
    LOCI_STATE_DIR: join(folder, 'state'),
  });
  const message = await failureOf(t, 'stack/start.ts', files);
  t.regex(message, new RegExp(`Port ${port} \\(API\\) is in use`));
  t.notRegex(message, /Temporal|PostgreSQL|Weaviate/, 'the servers at these addresses are used, and none is started');
});

test('a migration reads the address of its database from a file', async (t) => {
  const folder = await ownFolder(t);
  const urls = {
    LOCI_DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x',
    LOCI_MIGRATION_DATABASE_URL: 'postgres://o:p@127.0.0.1:9/x',
  };
  t.regex(await failureOf(t, 'migrations/run.ts', await inFiles(folder, urls)), /ECONNREFUSED 127\.0\.0\.1:9/);
  t.regex(await failureOf(t, 'migrations/run.ts', { LOCI_DATABASE_URL: '' }), /LOCI_DATABASE_URL is required/);
});
