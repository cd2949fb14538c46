import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { groupTasks } from '#providers/sandbox/group-tasks.ts';
import {
  SandboxPool,
  type SandboxOptions,
  type SandboxOutcome,
  type SandboxRunOptions,
} from '#providers/sandbox/sandbox-pool.ts';
import { until } from '#test/support/harness/eventually.ts';

const HARNESS = join(import.meta.dirname, '..', '..', 'support', 'harness');
const MIB = 1024 * 1024;
/** Nice value of processes that work for `bulk`. */
const BULK_NICENESS = 10;

/** Opens a pool and a folder of gates: a task `waitFor` ends when the file exists that it waits for. */
async function openPool(t: ExecutionContext, options: Partial<SandboxOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  const [gates, input] = [join(folder, 'gates'), join(folder, 'input')];
  await mkdir(gates);
  // So large that each task is a group of its own.
  await writeFile(input, Buffer.alloc(MIB, 'x'));
  const limits = { memoryBytes: 300 * MIB, timeoutMs: 600_000, processes: 1 };
  const paths = {
    taskModule: join(HARNESS, 'sandbox-tasks.ts'),
    readableFolders: [HARNESS, gates],
    workFolder: folder,
  };
  const pool = new SandboxPool({ ...paths, ...limits, ...options });
  t.teardown(async () => {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  });
  const seen: string[] = [];
  return {
    pool,
    /** Names of tasks in the order of their outcomes. */
    seen,
    gate: (name: string) => `waitFor ${join(gates, name)}`,
    open: (name: string) => writeFile(join(gates, name), ''),
    task: (text: string) => taskOf(input, text),
    /** Runs tasks, given by name as `kind` or `kind target`. */
    run: async (tasks: Readonly<Record<string, string>>, work: SandboxRunOptions = {}): Promise<unknown[]> => {
      const names = Object.keys(tasks);
      const onOutcome = (index: number): unknown => seen.push(names[index] ?? '');
      const sandboxTasks = Object.values(tasks).map((text) => taskOf(input, text));
      await using batch = await pool.run(sandboxTasks, { ...work, onOutcome });
      return batch.outcomes.map(brief);
    },
  };
}

function taskOf(inputPath: string, text: string) {
  const [kind, target] = text.split(' ');
  return { inputPath, payload: { kind, target }, filesOf: () => (kind === 'write' ? ['.txt'] : []) };
}

/** Returns `value`, or the code of the error, or its message when it has no code. */
function brief(outcome: SandboxOutcome): unknown {
  if (outcome.ok) return outcome.value;
  return 'code' in outcome.error ? outcome.error.code : outcome.error.message;
}

test('groups are a few small files, or one large file', (t) => {
  const small = Array.from({ length: 20 }, () => 1000);
  t.deepEqual(
    groupTasks(small, 1).map((group) => group.length),
    [8, 8, 4],
  );
  t.deepEqual(
    groupTasks(small.slice(0, 4), 2).map((group) => group.length),
    [2, 2],
    'shared evenly among the processes',
  );
  t.deepEqual(groupTasks([1000, 1000, 100_000, 1000, 40_000, 40_000], 1), [[0, 1], [2], [3, 4], [5]]);
  t.deepEqual(groupTasks([], 2), []);
});

test('while a workspace waits, another one does not get a second process', async (t) => {
  const { pool, run, seen, gate, open } = await openPool(t, { processes: 2 });
  const queued = (groups: number) =>
    until(
      () => Promise.resolve(pool.load),
      (load) => load === groups,
    );
  const first = run({ a1: gate('a1'), a2: gate('a2'), a3: 'pid', a4: 'pid' }, { share: 'a' });
  await queued(4);
  const second = run({ b1: gate('b1'), b2: 'pid' }, { share: 'b' });
  await queued(6);
  await open('a1');
  await untilSeen(seen, 'a1');
  // The first free process is for b. The second one is for a, which has none by then.
  await open('a2');
  await untilSeen(seen, 'b2');
  await open('b1');
  await Promise.all([first, second]);
  t.deepEqual(seen, ['a1', 'a2', 'a3', 'a4', 'b2', 'b1']);
});

test('a call with one document waits for its turn, not for all documents of another workspace', async (t) => {
  const { run, seen, gate, open } = await openPool(t);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a${index}`, 'pid']));
  const first = run({ a: gate('a'), ...many }, { share: 'a' });
  const second = run({ b: 'pid' }, { share: 'b' });
  await open('a');
  await Promise.all([first, second]);
  t.true(seen.indexOf('b') <= 2, seen.join(' '));
});

test('express work passes bulk work that waits, and runs while bulk work uses all its processes', async (t) => {
  const { run, gate, open } = await openPool(t, { processes: 1 });
  const bulk = ['a', 'b'].map((share) => run({ [share]: gate(share) }, { share }));
  t.deepEqual(await run({ express: 'priority' }, { share: 'a', lane: 'express' }), [getPriority()]);
  await Promise.all([open('a'), open('b')]);
  await Promise.all(bulk);
  t.deepEqual(await run({ bulk: 'priority' }, { share: 'a', lane: 'bulk' }), [BULK_NICENESS]);
});

test('bulk work does not use the process that is reserved for express work', async (t) => {
  const { run, seen, gate, open } = await openPool(t, { processes: 1 });
  const express = run({ express: gate('express') }, { lane: 'express' });
  const bulk = run({ first: gate('first'), second: 'pid' }, {});
  await open('express');
  await express;
  t.deepEqual(seen, ['express'], 'the second document of the bulk call waits for the first one');
  await open('first');
  await bulk;
});

test('a process works for one lane only, and no more run than allowed', async (t) => {
  const { run } = await openPool(t, { processes: 1 });
  const [express] = await run({ a: 'pid' }, { lane: 'express' });
  const [bulk] = await run({ a: 'pid' }, {});
  t.not(express, bulk);
  t.deepEqual(await run({ a: 'pid' }, { lane: 'express' }), [express]);
  t.deepEqual(await run({ a: 'pid' }, {}), [bulk]);
});

test('cancelling ends the process at once, also for the tasks that wait, and spares other calls', async (t) => {
  const { pool, run, task, seen, gate, open } = await openPool(t, { processes: 1 });
  const controller = new AbortController();
  const pids: unknown[] = [];
  const onOutcome = (_: number, outcome: SandboxOutcome): unknown => pids.push(brief(outcome));
  const cancelled = pool.run(['pid', 'loop', 'loop'].map(task), { share: 'a', signal: controller.signal, onOutcome });
  await untilSeen(pids);
  const other = run({ b1: 'pid', b2: gate('b2') }, { share: 'b' });
  controller.abort(new Error('cancelled'));
  await t.throwsAsync(cancelled, { message: 'cancelled' });
  await until(
    () => Promise.resolve(isRunning(Number(pids[0]))),
    (isAlive) => !isAlive,
  );
  await open('b2');
  const [next, last] = await other;
  t.not(next, pids[0]);
  t.is(last, 'opened');
  t.deepEqual([pids.length, seen], [1, ['b1', 'b2']], 'no other task of the cancelled call has an outcome');
});

test('cancelling a call that waits leaves the running one alone', async (t) => {
  const { run, seen, gate, open } = await openPool(t, { processes: 1 });
  const running = run({ a: gate('a') }, { share: 'a' });
  const controller = new AbortController();
  const waiting = run({ b: 'pid' }, { share: 'b', signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await t.throwsAsync(waiting, { message: 'cancelled' });
  await open('a');
  t.deepEqual(await running, ['opened']);
  t.deepEqual(seen, ['a']);
});

test('a crash counts for the document that was running, not for those of other calls', async (t) => {
  const { run } = await openPool(t, { processes: 1 });
  const calls = ['a', 'b', 'c'].map((share) => run({ crash: 'crash', pid: 'pid' }, { share }));
  for (const [crashed, pid] of await Promise.all(calls)) {
    t.is(crashed, 'reader_crashed');
    t.is(typeof pid, 'number');
  }
});

test('reports each outcome at once, with files that stay until the batch is disposed', async (t) => {
  const { pool, task, gate, open } = await openPool(t);
  const { promise: reported, resolve } = Promise.withResolvers<SandboxOutcome>();
  const running = pool.run(['write result', gate('rest'), 'crash'].map(task), {
    onOutcome: (index, outcome) => (index === 0 ? resolve(outcome) : undefined),
  });
  const outcome = await reported;
  const path = outcome.ok ? `${outcome.outputPrefix}.txt` : '';
  t.is(await readFile(path, 'utf8'), 'result', 'while the next task is running');
  await open('rest');
  const batch = await running;
  t.deepEqual(batch.outcomes.map(brief), [6, 'opened', 'reader_crashed']);
  t.is(batch.outcomes[0], outcome);
  t.is(await readFile(path, 'utf8'), 'result', 'after a crash of the process');
  await batch[Symbol.asyncDispose]();
  t.false(existsSync(path));
});

test('a listener that fails rejects its call only', async (t) => {
  const { pool, run, task } = await openPool(t);
  const failing = pool.run(['pid', 'loop'].map(task), {
    onOutcome() {
      throw new Error('cannot be stored');
    },
  });
  await t.throwsAsync(failing, { message: 'cannot be stored' });
  t.deepEqual(await run({ wait: 'nap 1' }), ['rested']);
});

test('a document that uses up its processor time fails alone; waiting costs nothing', async (t) => {
  const { pool, task } = await openPool(t);
  const cpuBudgetMs = (sizeBytes: number): number => (400 * sizeBytes) / MIB;
  const tasks = ['nap 1200', 'loop', 'nap 1'].map((text) => ({ ...task(text), cpuBudgetMs }));
  await using batch = await pool.run(tasks);
  t.deepEqual(batch.outcomes.map(brief), ['rested', 'read_timeout', 'rested']);
  const [, stopped] = batch.outcomes;
  t.regex(
    stopped?.ok === false ? stopped.error.message : '',
    /more than 0\.4 s of processor time, the limit for its size.*Split.*LOCI_READER_TIMEOUT_S/s,
  );
});

async function untilSeen(items: readonly unknown[], wanted?: unknown): Promise<void> {
  await until(
    () => Promise.resolve(wanted === undefined ? items.length > 0 : items.includes(wanted)),
    (isSeen) => isSeen,
  );
}

/** False for a zombie too: it has ended, even though its parent has not collected it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}
