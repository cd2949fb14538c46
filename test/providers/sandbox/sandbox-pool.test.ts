import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import { isPassing } from '#activities/failures.ts';
import { AppError } from '#domain/app-error.ts';
import { SandboxPool, type SandboxOptions, type SandboxOutcome } from '#providers/sandbox/sandbox-pool.ts';

const SUPPORT = join(import.meta.dirname, '..', '..', 'support', 'harness');
const test = anyTest as TestFn<{ folder: string; input: string }>;
const MIB = 1024 * 1024;

test.beforeEach(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  t.context = { folder, input: join(folder, 'input') };
  await writeFile(t.context.input, 'the input');
});
test.afterEach.always((t) => rm(t.context.folder, { recursive: true, force: true }));

type Payload = { kind: string; target?: string };
type Setting = { folder: string; input: string };

function createPool({ folder }: Setting, options: Partial<SandboxOptions> = {}): SandboxPool {
  return new SandboxPool({
    taskModule: join(SUPPORT, 'sandbox-tasks.ts'),
    readableFolders: [SUPPORT],
    workFolder: folder,
    processes: 1,
    memoryBytes: 300 * MIB,
    timeoutMs: 20_000,
    ...options,
  });
}

async function runAll(
  pool: SandboxPool,
  setting: Setting,
  payloads: readonly Payload[],
): Promise<readonly SandboxOutcome[]> {
  await using batch = await pool.run(payloads.map((payload) => ({ inputPath: setting.input, payload })));
  return batch.outcomes;
}

/** Returns `value`, or the code of the error, or its message when it has no code. */
function brief(outcome: SandboxOutcome): unknown {
  if (outcome.ok) return outcome.value;
  return 'code' in outcome.error ? outcome.error.code : outcome.error.message;
}

test('returns results in the order of the tasks, and fails a rejected one alone', async (t) => {
  const pool = createPool(t.context, { processes: 2 });
  const payloads = Array.from({ length: 100 }, (_, index) => (index === 70 ? { kind: 'refuse' } : { kind: 'echo' }));
  const outcomes = await runAll(pool, t.context, payloads);
  t.deepEqual(
    outcomes.map(brief),
    payloads.map(({ kind }) => (kind === 'refuse' ? 'unreadable' : 'the input')),
  );
  await pool.close();
});

test('runs many batches in one process, and replaces it after its share of tasks', async (t) => {
  const pool = createPool(t.context, { recycleAfterTasks: 2 });
  const pids: unknown[] = [];
  for (let round = 0; round < 4; round += 1)
    pids.push(...(await runAll(pool, t.context, [{ kind: 'pid' }])).map(brief));
  t.is(pids[0], pids[1]);
  t.not(pids[1], pids[2]);
  t.is(pids[2], pids[3]);
  await pool.close();
});

for (const [kind, code, options] of [
  ['loop', 'read_timeout', { timeoutMs: 1000 }],
  ['hang', 'read_timeout', { timeoutMs: 1000 }],
  ['hogHeap', 'read_memory_limit', {}],
  ['hogBuffers', 'read_memory_limit', {}],
  ['crash', 'reader_crashed', {}],
  ['exit', 'reader_crashed', {}],
] as const) {
  test(`ends a task that does ${kind} as ${code} without affecting other tasks or the pool`, async (t) => {
    const pool = createPool(t.context, options);
    const outcomes = await runAll(pool, t.context, [{ kind: 'echo' }, { kind }, { kind: 'echo' }]);
    t.deepEqual(outcomes.map(brief), ['the input', code, 'the input']);
    t.deepEqual((await runAll(pool, t.context, [{ kind: 'echo' }])).map(brief), ['the input']);
    await pool.close();
  });
}

test('explains limits without naming a file', async (t) => {
  const pool = createPool(t.context, { timeoutMs: 1000 });
  const [outcome] = await runAll(pool, t.context, [{ kind: 'loop' }]);
  t.is(
    outcome?.ok === false ? outcome.error.message : '',
    'Reading the document took longer than 1 s and was stopped. Split it, or ask the operator to raise LOCI_READER_TIMEOUT_S.',
  );
  await pool.close();
});

test('distinguishes an unexpected error from a rejection', async (t) => {
  const pool = createPool(t.context);
  const [outcome] = await runAll(pool, t.context, [{ kind: 'fail' }]);
  t.true(
    outcome?.ok === false &&
      !('code' in outcome.error) &&
      outcome.error.message.includes('a fault of the installation'),
  );
  await pool.close();
});

test('reports a full disk with the code of the operating system, as one that is no fault of the document', async (t) => {
  const pool = createPool(t.context);
  const [outcome] = await runAll(pool, t.context, [{ kind: 'fullDisk' }]);
  t.true(outcome?.ok === false && !(outcome.error instanceof AppError) && isPassing(outcome.error));
  t.is(outcome && brief(outcome), 'ENOSPC');
  await pool.close();
});

test('hides the environment, other files and other processes from a child, with read-only input', async (t) => {
  const pool = createPool(t.context);
  const secret = join(t.context.folder, 'secret');
  await writeFile(secret, 'secret');
  const outcomes = await runAll(pool, t.context, [
    { kind: 'environment' },
    { kind: 'readFile', target: secret },
    { kind: 'writeFile', target: join(t.context.folder, 'new') },
    { kind: 'overwriteInput' },
  ]);
  const [environment, ...attempts] = outcomes;
  t.deepEqual(
    Object.keys(environment?.ok ? Object(environment.value) : { failed: true }).filter(
      (name) => !name.startsWith('NODE_CHANNEL'),
    ),
    [],
  );
  for (const attempt of attempts) t.regex(attempt.ok ? 'allowed' : attempt.error.message, /ERR_ACCESS_DENIED/);
  t.is(await readFile(t.context.input, 'utf8'), 'the input');
  await pool.close();
});

test('keeps the files of a task until its batch is disposed, and none after the pool is closed', async (t) => {
  const pool = createPool(t.context);
  const task = { inputPath: t.context.input, payload: { kind: 'write', target: 'result' }, filesOf: () => ['.txt'] };
  const batch = await pool.run([task]);
  const [outcome] = batch.outcomes;
  const path = outcome?.ok ? `${outcome.outputPrefix}.txt` : '';
  t.is(await readFile(path, 'utf8'), 'result');
  await batch[Symbol.asyncDispose]();
  t.false(existsSync(path));
  await pool.close();
  t.deepEqual(await readdir(t.context.folder), ['input']);
});

test('ends the child on abort, and leaves the pool usable', async (t) => {
  const pool = createPool(t.context);
  const controller = new AbortController();
  const tasks = ['echo', 'loop', 'echo'].map((kind) => ({ inputPath: t.context.input, payload: { kind } }));
  const running = pool.run(tasks, { signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await t.throwsAsync(running, { message: 'cancelled' });
  t.deepEqual((await runAll(pool, t.context, [{ kind: 'echo' }])).map(brief), ['the input']);
  await pool.close();
});

test('rejects running tasks on close', async (t) => {
  const pool = createPool(t.context);
  const running = pool.run([{ inputPath: t.context.input, payload: { kind: 'loop' } }]);
  await Promise.all([t.throwsAsync(running, { message: 'The sandbox is closed.' }), pool.close()]);
  await t.throwsAsync(pool.run([]), { message: 'The sandbox is closed.' });
});

test('reports a missing input as an error of the call, not of a document', async (t) => {
  const pool = createPool(t.context);
  await t.throwsAsync(pool.run([{ inputPath: join(t.context.folder, 'absent'), payload: { kind: 'echo' } }]), {
    code: 'ENOENT',
  });
  t.deepEqual((await runAll(pool, t.context, [{ kind: 'echo' }])).map(brief), ['the input']);
  await pool.close();
});

test('ends a child in an endless loop with its parent, and removes leftovers with the next pool', async (t) => {
  const parent = fork(join(SUPPORT, 'sandbox-parent.ts'), [t.context.folder, t.context.input], { stdio: 'ignore' });
  const [pid] = (await once(parent, 'message')) as [number];
  t.true(isRunning(pid));
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  while (isRunning(pid)) await setTimeout(20);
  t.is((await readdir(t.context.folder)).filter((name) => name.startsWith('loci-sandbox-')).length, 1);
  const pool = createPool(t.context);
  await runAll(pool, t.context, [{ kind: 'echo' }]);
  await pool.close();
  t.deepEqual(await readdir(t.context.folder), ['input']);
});

test('after the start deadline, finishes running tasks and returns the rest', async (t) => {
  const pool = createPool(t.context);
  const inputPath = t.context.input;
  const tasks = [{ kind: 'nap', target: '400' }, { kind: 'echo' }, { kind: 'crash' }];
  const all = Array.from({ length: 20 }, () => tasks).flat();
  await using batch = await pool.run(
    all.map((payload) => ({ inputPath, payload })),
    { startWithinMs: 20 },
  );
  // How many more tasks start before the deadline depends on the machine, but none starts after one that was returned.
  const briefs = batch.outcomes.map(brief);
  const begun = briefs.indexOf('dependency_unavailable');
  t.is(briefs[0], 'rested');
  t.true(begun > 0 && begun < all.length, `${begun} were begun`);
  t.deepEqual(new Set(briefs.slice(begun)), new Set(['dependency_unavailable']));
  t.deepEqual((await runAll(pool, t.context, [{ kind: 'echo' }])).map(brief), ['the input']);
  await pool.close();
});

/** False for a zombie too: it has ended, even though its parent has not collected it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const status = `/proc/${pid}/status`;
    return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'latin1'));
  } catch {
    return false;
  }
}
