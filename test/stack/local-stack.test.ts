import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { Client } from 'pg';
import { z } from 'zod';
import { loopbackWithoutProxy } from '#stack/loopback-without-proxy.ts';
import { isSameProcess, processStartTime } from '#stack/processes/process-identity.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { testStack } from '#test/support/harness/stack.ts';

const STACK = join(import.meta.dirname, '..', '..', 'stack', 'local-stack.ts');

const Facts = z.object({ pids: z.array(z.number()), databaseUrl: z.string() });

/** A launcher in its own process, with its own servers. It runs until it is killed or its input ends. */
async function launch(
  t: ExecutionContext,
  { variables, ...options }: { stateDir: string; isTemporary: boolean; variables?: Readonly<Record<string, string>> },
) {
  const { LOCI_CACHE_DIR: cacheDir } = testStack().environment;
  const settings = JSON.stringify({ ...options, cacheDir, ports: 'free' });
  const code = `
    import { startLocalStack } from '${STACK}';
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME, LOCI_EMBEDDER: 'lexical' };
    const stack = await startLocalStack({ ...${settings}, environment, log: () => {} });
    const pids = [stack.postgres, stack.temporal, stack.weaviate].map((server) => server.pid());
    console.log(JSON.stringify({ pids, databaseUrl: stack.environment.LOCI_MIGRATION_DATABASE_URL }));
    process.stdin.resume().once('end', () => stack.stop());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...variables },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { pids, databaseUrl } = Facts.parse(JSON.parse(value ?? ''));
  const identities = pids.map((pid) => ({ pid, startedAt: processStartTime(pid) ?? 'gone' }));
  return {
    databaseUrl,
    runningCount: () => identities.filter(isSameProcess).length,
    kill: () => (child.kill('SIGKILL'), ended),
    stop: () => (child.stdin.end(), ended),
  };
}

async function inDatabase(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result: { rows: unknown[] } = await client.query(statement);
    return result.rows;
  } finally {
    await client.end();
  }
}

test.serial('leaves no server running after kill -9 of a launcher, and keeps the data', async (t) => {
  t.timeout(480_000);
  const stateDir = await mkdtemp(join(tmpdir(), 'loci-stack-'));
  t.teardown(() => rm(stateDir, { recursive: true, force: true }));
  const first = await launch(t, { stateDir, isTemporary: false });
  t.is(first.runningCount(), 3);
  await inDatabase(first.databaseUrl, 'create table kept as select 42 as answer');
  await first.kill();

  // Immediately: the servers of the killed launcher may still be running, on other ports but with the same data.
  const second = await launch(t, { stateDir, isTemporary: false });
  t.is(first.runningCount(), 0);
  t.deepEqual(await inDatabase(second.databaseUrl, 'select answer from kept'), [{ answer: 42 }]);
  await second.kill();
  // No launcher is started after this kill.
  await eventually('the servers have stopped', async () => second.runningCount() === 0);

  const third = await launch(t, { stateDir, isTemporary: false });
  t.deepEqual(await inDatabase(third.databaseUrl, 'select answer from kept'), [{ answer: 42 }]);
  await third.stop();
  t.is(third.runningCount(), 0);
  t.deepEqual(await readdir(join(stateDir, 'processes')), []);
  t.notRegex(await readFile(join(stateDir, 'logs', 'postgres.log'), 'utf8'), /PANIC/);
});

test.serial(
  'starts with a proxy and PGSSLMODE in the shell, and removes throw-away state even when the launcher is killed',
  async (t) => {
    t.timeout(480_000);
    const parent = await mkdtemp(join(tmpdir(), 'loci-stack-'));
    t.teardown(() => rm(parent, { recursive: true, force: true }));
    // Nothing listens at the proxy, and the own PostgreSQL has no certificate.
    const proxy = 'http://127.0.0.1:9';
    const variables = { https_proxy: proxy, http_proxy: proxy, no_proxy: 'example.com', PGSSLMODE: 'require' };
    const launcher = await launch(t, { stateDir: join(parent, 'state'), isTemporary: true, variables });
    await launcher.kill();
    await eventually('the state is deleted', async () => (await readdir(parent)).length === 0);
    t.is(launcher.runningCount(), 0);
  },
);

test('this machine is reached without a proxy, beside the hosts that are listed already', (t) => {
  const loopback = '127.0.0.1,localhost,::1';
  t.deepEqual(loopbackWithoutProxy({}), { no_proxy: loopback, NO_PROXY: loopback });
  const both = `a.example,b.example,${loopback}`;
  t.deepEqual(loopbackWithoutProxy({ no_proxy: 'a.example, ', NO_PROXY: 'b.example', no_grpc_proxy: 'c.example,' }), {
    no_proxy: both,
    NO_PROXY: both,
    no_grpc_proxy: `c.example,${loopback}`,
  });
  t.deepEqual(loopbackWithoutProxy(loopbackWithoutProxy({})), loopbackWithoutProxy({}));
});

test('creates a missing Temporal namespace, and changes nothing the second time', async (t) => {
  const { address } = testStack().temporal;
  const namespace = `prepared-${process.pid}`;
  await prepareNamespace({ address, namespace });
  await t.notThrowsAsync(prepareNamespace({ address, namespace }));
});

test('names an unreachable Temporal server in the error', async (t) => {
  await t.throwsAsync(prepareNamespace({ address: '127.0.0.1:9', namespace: 'default' }), {
    message: /Temporal at 127\.0\.0\.1:9 is unreachable/,
  });
});
