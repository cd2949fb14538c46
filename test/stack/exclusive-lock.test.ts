import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { tryExclusiveLock, waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { lockStateFolder } from '#stack/state-folder.ts';
import { StackError } from '#stack/stack-error.ts';

const STACK = join(import.meta.dirname, '..', '..', 'stack');

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'loci-lock-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Another process that runs `code`, which prints a line once it holds the lock. */
async function holder(t: ExecutionContext, code: string) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `${code}; console.log('held'); setInterval(() => {}, 1000)`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { pid: child.pid, kill: () => (child.kill('SIGKILL'), ended) };
}

test('refuses a lock that another process holds, until that process is killed', async (t) => {
  const path = join(await folder(t), 'a.lock');
  const other = await holder(
    t,
    `import { tryExclusiveLock } from '${STACK}/processes/exclusive-lock.ts'; globalThis.lock = tryExclusiveLock('${path}')`,
  );
  t.is(tryExclusiveLock(path), null);
  await other.kill();
  const lock = tryExclusiveLock(path);
  t.not(lock, null);
  lock?.release();
});

test('tells a waiting caller once, and gives it the lock on release', async (t) => {
  const path = join(await folder(t), 'b.lock');
  const first = tryExclusiveLock(path);
  let told = 0;
  const waiting = waitForExclusiveLock(path, () => {
    told += 1;
    first?.release();
  });
  (await waiting).release();
  t.is(told, 1);
});

test('refuses a second launcher on a state folder and names the holder', async (t) => {
  const stateDir = await folder(t);
  const other = await holder(
    t,
    `import { lockStateFolder } from '${STACK}/state-folder.ts'; globalThis.lock = await lockStateFolder('${stateDir}', () => {})`,
  );
  const error = await t.throwsAsync(
    lockStateFolder(stateDir, () => undefined),
    { instanceOf: StackError },
  );
  t.regex(error.message, new RegExp(`already running in .* \\(process ${other.pid}\\)`));
  t.regex(error.message, /LOCI_STATE_DIR/);
  await other.kill();
  (await lockStateFolder(stateDir, () => undefined)).release();
});
