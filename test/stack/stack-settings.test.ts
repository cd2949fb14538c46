import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { StackError } from '#stack/stack-error.ts';
import { configuredPorts, freePorts, requireFreePorts } from '#stack/stack-ports.ts';
import { loadOrCreateStackSecrets } from '#stack/stack-secrets.ts';

test('reads ports from their settings, otherwise uses the standard ones', (t) => {
  const ports = configuredPorts({ LOCI_PORT: '9000', LOCI_POSTGRES_PORT: '' });
  t.is(ports.api, 9000);
  t.is(ports.postgres, 8754);
  t.is(ports.temporalUi, 8780);
});

test('names every invalid port setting at once', (t) => {
  const error = t.throws(
    () => configuredPorts({ LOCI_PORT: '99999', LOCI_WORKER_PORT: 'x', LOCI_TEMPORAL_PORT: '8754' }),
    {
      instanceOf: StackError,
    },
  );
  t.regex(error.message, /LOCI_PORT is "99999"/);
  t.regex(error.message, /LOCI_WORKER_PORT is "x"/);
  t.regex(error.message, /LOCI_POSTGRES_PORT and LOCI_TEMPORAL_PORT are both 8754/);
});

test('reports a port in use with the setting that changes it', async (t) => {
  const ports = await freePorts();
  t.is(new Set(Object.values(ports)).size, Object.values(ports).length);
  await t.notThrowsAsync(requireFreePorts(ports, ['temporalUi', 'weaviate']));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports.temporalUi, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  await t.throwsAsync(requireFreePorts(ports, ['temporalUi', 'weaviate']), {
    instanceOf: StackError,
    message: `Port ${ports.temporalUi} (Temporal UI) is in use by another program. Set LOCI_TEMPORAL_UI_PORT to a free port.`,
  });
});

test('creates secrets once, readable by their owner only, and never replaces damaged ones', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'loci-secrets-'));
  t.teardown(() => rm(stateDir, { recursive: true, force: true }));
  const first = loadOrCreateStackSecrets(stateDir);
  const path = join(stateDir, 'secrets.json');
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.deepEqual(loadOrCreateStackSecrets(stateDir), first);
  t.regex(first.secret_keys, /^1:/);
  t.is(Buffer.from(first.secret_keys.slice(2), 'base64').length, 32);

  await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
  t.throws(() => loadOrCreateStackSecrets(stateDir), { instanceOf: StackError, message: /secrets\.json is damaged/ });
});

/** What a function of the stack throws where the current user is one without a name and without any rights. */
async function refusedAsNobody(call: string): Promise<string> {
  const code = `
    import { lockStateFolder } from '#stack/state-folder.ts';
    import { findOrCreatePostgresAccount } from '#stack/servers/postgres-account.ts';
    process.setgroups([]); process.setgid(54321); process.setuid(54321);
    try { await ${call}; } catch (error) { console.log(error.name + ': ' + error.message); }`;
  return runCommand({ file: process.execPath, args: ['--input-type=module', '-e', code], cwd: PROJECT_DIR });
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a state folder of another user is refused with what to do', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'loci-owned-'));
  t.teardown(() => rm(stateDir, { recursive: true, force: true }));
  await chmod(stateDir, 0o755);
  const refused = await refusedAsNobody(`lockStateFolder(${JSON.stringify(stateDir)}, () => {})`);
  t.regex(refused, /^StackError: The state folder \S+ cannot be prepared: EPERM[^]*set LOCI_STATE_DIR/);
});

asRoot('a user without a name is refused for PostgreSQL with what to do', async (t) => {
  const refused = await refusedAsNobody('findOrCreatePostgresAccount(() => {})');
  t.regex(refused, /^StackError: .*user id 54321, which has no name[^]*set LOCI_DATABASE_URL/);
});
