import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { processStartTime } from '#stack/processes/process-identity.ts';
import { eventually } from '#test/support/harness/eventually.ts';

/** What is not needed to start the build of the console. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'test', 'bench', 'docs', 'client', 'client-python', 'adapters'];

test('a build of the console that is told to stop ends the program that it runs', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'loci-console-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const project = join(root, 'project');
  await cp(PROJECT_DIR, project, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
  await symlink(join(PROJECT_DIR, 'node_modules'), join(project, 'node_modules'));
  // In place of npm: says which process it is, and never ends.
  const npm = join(root, 'npm.cjs');
  const pidFile = join(root, 'pid');
  await writeFile(
    npm,
    `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid) + '.'); setInterval(() => {}, 1000);`,
  );
  const building = spawn(process.execPath, ['stack/console/main.ts', '--background'], {
    cwd: project,
    env: { ...process.env, npm_execpath: npm },
  });
  const exited = once(building, 'exit');
  const pid = await eventually('npm runs', async () => /^(\d+)\.$/.exec(await readFile(pidFile, 'utf8'))?.[1]);
  t.teardown(() => {
    if (processStartTime(Number(pid)) !== null) process.kill(Number(pid), 'SIGKILL');
  });
  building.kill('SIGTERM');
  t.deepEqual(await exited, [143, null]);
  await eventually('npm has ended', async () => processStartTime(Number(pid)) === null, { timeoutMs: 20_000 });
  t.is(processStartTime(Number(pid)), null);
});
