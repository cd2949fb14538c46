import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
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
