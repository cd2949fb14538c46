import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { createManagedProcess, type ProcessSpec } from '#stack/processes/managed-process.ts';
import { isSameProcess, processStartTime } from '#stack/processes/process-identity.ts';
import { createProcessRecords, stopOrphanedProcesses } from '#stack/processes/process-records.ts';
import { StackError } from '#stack/stack-error.ts';
import { eventually } from '#test/support/harness/eventually.ts';

async function stateFolder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'loci-process-'));
  await mkdir(join(path, 'processes'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

type Described = Partial<ProcessSpec> & { stateDir: string; script: string };

/** A process that runs `script` and is ready once it has written the file `ready`. */
function described(t: ExecutionContext, { stateDir, script, ...more }: Described) {
  const ready = join(stateDir, 'ready');
  const managed = createManagedProcess({
    name: 'worker',
    title: 'The server',
    file: process.execPath,
    args: ['-e', `const ready = () => require('fs').writeFileSync(${JSON.stringify(ready)}, ''); ${script}`],
    env: {},
    cwd: stateDir,
    logFile: join(stateDir, 'logs', 'server.log'),
    records: createProcessRecords(stateDir, 'this launcher'),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 500,
    readyTimeoutMs: 20_000,
    prepare: () => rm(ready, { force: true }),
    isReady: () => Promise.resolve(existsSync(ready)),
    ...more,
  });
  t.teardown(() => managed.stop());
  return managed;
}

const identityOf = (pid: number) => ({ pid, startedAt: processStartTime(pid) ?? 'gone' });
const FOR_EVER = 'setInterval(() => {}, 1000);';

test('restarts a killed process, and does not report an end that was requested', async (t) => {
  const managed = described(t, { stateDir: await stateFolder(t), script: `ready(); ${FOR_EVER}` });
  let told = 0;
  managed.onUnexpectedExit(() => (told += 1));
  await managed.start();
  const first = managed.pid();
  await managed.kill('SIGKILL');
  t.is(managed.pid(), null);
  await managed.start();
  t.not(managed.pid(), first);
  await managed.stop();
  t.is(managed.pid(), null);
  t.is(told, 0);
});

test('reports a process that ends by itself, with its exit code', async (t) => {
  const managed = described(t, {
    stateDir: await stateFolder(t),
    script: 'ready(); setTimeout(() => process.exit(7), 300)',
  });
  const exit = new Promise((resolve) => managed.onUnexpectedExit(resolve));
  await managed.start();
  t.deepEqual(await exit, { code: 7, signal: null });
  t.is(managed.pid(), null);
});

test('fails with the end of the log when a process ends during its start', async (t) => {
  const managed = described(t, {
    stateDir: await stateFolder(t),
    script: `console.error('no such plug'); process.exit(1)`,
  });
  let told = 0;
  managed.onUnexpectedExit(() => (told += 1));
  const error = await t.throwsAsync(managed.start(), { instanceOf: StackError });
  t.regex(error.message, /The server exited during startup.*no such plug/s);
  t.is(told, 0, 'who starts it knows already: told twice, a supervisor would start it twice');
});

test('ends a process that cannot be recorded, as on a full disk, and starts it once it can', async (t) => {
  const stateDir = await stateFolder(t);
  const records = createProcessRecords(stateDir, 'this launcher');
  const pids: number[] = [];
  const managed = described(t, {
    stateDir,
    script: `ready(); ${FOR_EVER}`,
    records: {
      ...records,
      add(name, pid, signal) {
        pids.push(pid);
        if (pids.length < 3) throw new Error('ENOSPC: no space left on device, write');
        records.add(name, pid, signal);
      },
    },
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await t.throwsAsync(managed.start(), { instanceOf: StackError, message: /The server was stopped.*no space left/ });
    t.is(managed.pid(), null);
  }
  for (const pid of pids) t.is(processStartTime(pid), null, 'no process is left behind');
  await managed.start();
  t.is(managed.pid(), pids.at(-1) ?? null);
});

test('ends a process that never becomes ready, and states how long it waited', async (t) => {
  const managed = described(t, { stateDir: await stateFolder(t), script: FOR_EVER, readyTimeoutMs: 300 });
  const error = await t.throwsAsync(managed.start(), { instanceOf: StackError });
  t.regex(error.message, /was not ready within 0.3 s/);
  t.is(managed.pid(), null);
});

test('stops a process that ignores the signal, even a stalled one, with its own children', async (t) => {
  const stateDir = await stateFolder(t);
  const grandchildFile = join(stateDir, 'grandchild');
  const managed = described(t, {
    stateDir,
    script: `process.on('SIGTERM', () => {}); const child = require('child_process').spawn('sleep', ['600']);
     require('fs').writeFileSync(${JSON.stringify(grandchildFile)}, String(child.pid)); ready(); ${FOR_EVER}`,
  });
  await managed.start();
  const child = identityOf(managed.pid() ?? 0);
  const grandchild = identityOf(Number(await readFile(grandchildFile, 'utf8')));
  t.true(isSameProcess(child) && isSameProcess(grandchild));
  await managed.kill('SIGSTOP');
  await managed.stop();
  t.false(isSameProcess(child));
  await eventually('what it started is gone', async () => !isSameProcess(grandchild), { everyMs: 10 });
  t.false(isSameProcess(grandchild));
});

test('ends what a killed launcher left running, but not a process that only has the same pid', async (t) => {
  const stateDir = await stateFolder(t);
  const sleepers = [spawn('sleep', ['600']), spawn('sleep', ['600'])];
  t.teardown(() => sleepers.forEach((sleeper) => sleeper.kill('SIGKILL')));
  const left = identityOf(sleepers[0]?.pid ?? 0);
  const stranger = identityOf(sleepers[1]?.pid ?? 0);
  createProcessRecords(stateDir, 'killed launcher').add('temporal', left.pid, 'SIGTERM');
  const mistaken = {
    name: 'worker',
    pid: stranger.pid,
    startedAt: 'another time',
    launcher: 'x',
    stopSignal: 'SIGTERM',
  };
  await writeFile(join(stateDir, 'processes', 'worker.json'), JSON.stringify(mistaken));
  await writeFile(join(stateDir, 'processes', 'api.json'), '{"name":"api","pi');

  await stopOrphanedProcesses(stateDir, { launcher: 'another launcher' });
  t.true(isSameProcess(left));
  await stopOrphanedProcesses(stateDir);
  t.false(isSameProcess(left));
  t.true(isSameProcess(stranger));
  t.deepEqual(
    (await readdir(join(stateDir, 'processes'))).filter((name) => name !== 'api.json'),
    [],
  );
});

test('repeats a failing readiness check until it succeeds', async (t) => {
  let asked = 0;
  const managed = described(t, {
    stateDir: await stateFolder(t),
    script: FOR_EVER,
    isReady: () => {
      asked += 1;
      return asked < 3 ? Promise.reject(new Error('connection refused')) : Promise.resolve(true);
    },
  });
  await managed.start();
  t.is(asked, 3);
});
