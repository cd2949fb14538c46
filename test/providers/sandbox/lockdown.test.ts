import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { networkNamespaceCommand } from '#providers/sandbox/network-namespace.ts';
import { SandboxPool } from '#providers/sandbox/sandbox-pool.ts';

const HARNESS = join(import.meta.dirname, '..', '..', 'support', 'harness');

/** What code needs that computes, and reads and writes the files that the permission model allows. */
const HARMLESS =
  'assert assert/strict async_hooks buffer console constants crypto diagnostics_channel events fs fs/promises module os path ' +
  'path/posix path/win32 perf_hooks punycode querystring stream stream/consumers stream/promises stream/web string_decoder ' +
  'timers timers/promises url util util/types zlib';

/** What libraries import without using it; what they could do is tried below. */
const INERT = 'child_process http https net tls tty vm';

/** Runs tasks in a sandbox, and returns their values, or the messages of their errors, and what is in the work folder then. */
async function inSandbox(payloads: readonly { kind: string; target?: string }[]) {
  const folder = await mkdtemp(join(tmpdir(), 'loci-lockdown-'));
  const inputPath = join(folder, 'input');
  await writeFile(inputPath, 'the input');
  const pool = new SandboxPool({
    taskModule: join(HARNESS, 'sandbox-tasks.ts'),
    readableFolders: [HARNESS],
    workFolder: folder,
    processes: 1,
    memoryBytes: 300 * 1024 * 1024,
    timeoutMs: 60_000,
  });
  const tasks = payloads.map(({ kind, target }) => ({ inputPath, payload: { kind, target: target ?? folder } }));
  try {
    await using batch = await pool.run(tasks);
    const values = batch.outcomes.map((outcome) => (outcome.ok ? outcome.value : `failed: ${outcome.error.message}`));
    const files = (await readdir(folder)).filter((name) => !name.startsWith('loci-sandbox-'));
    return { values, files };
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

test('of all modules of Node, only harmless and disabled ones can be loaded, whichever way', async (t) => {
  const { values } = await inSandbox(builtinModules.map((name) => ({ kind: 'builtin', target: name })));
  const ways = values.map((value, index) => [builtinModules[index], value] as const);
  t.deepEqual(
    ways.filter(([, value]) => !Array.isArray(value)),
    [],
  );
  const loaded = builtinModules.filter((_, index) => Array.isArray(values[index]) && values[index].length > 0);
  t.deepEqual(loaded.toSorted(), `${HARMLESS} ${INERT}`.split(' ').toSorted());
  // The ways work: a module that is allowed can be loaded in each of them.
  const [, ofZlib] = ways.find(([name]) => name === 'zlib') ?? [];
  t.is(Array.isArray(ofZlib) ? ofZlib.length : 0, 7);
});

test('nothing that is left reaches other processes, native code, or files outside of the folder', async (t) => {
  const { values, files } = await inSandbox([{ kind: 'reachOut' }, { kind: 'globals' }]);
  t.deepEqual(values, [[], []]);
  t.deepEqual(files, ['input']);
});

test('no socket connects or listens, however it is made', async (t) => {
  const connections: unknown[] = [];
  const server = createServer((socket) => connections.push(socket.destroy())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const target = String(typeof address === 'object' && address !== null ? address.port : 0);
  const { values } = await inSandbox([{ kind: 'connect', target }]);
  t.deepEqual(values, [[]]);
  t.deepEqual(connections, []);
});

test('where the kernel allows it, a process has no network interface', (t) => {
  const [command, ...options] = networkNamespaceCommand();
  if (command === undefined) {
    t.log('this machine allows no network namespaces: the other walls are tested above');
    t.pass();
    return;
  }
  const code = "require('net').connect(9,'127.0.0.1').on('error',(error)=>console.log(error.code))";
  const { stdout } = spawnSync(command, [...options, process.execPath, '-e', code], { encoding: 'utf8' });
  t.is(stdout.trim(), 'ENETUNREACH');
});
