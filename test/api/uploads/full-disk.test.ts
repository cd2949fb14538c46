import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const run = promisify(execFile);
const Report = z.object({
  results: z.array(z.object({ status: z.number(), code: z.string().optional(), detail: z.string().optional() })),
  left: z.number(),
  temporary: z.number(),
});

/** Runs a command in a mount namespace of its own, which needs no privileges where the kernel lets users have one. */
const inNamespace = (command: string, ...args: string[]) =>
  run('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', command, 'sh', ...args]);

test('when the disk is full, files of every size are refused with 503, and nothing of them is left', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loci-small-disk-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const mount = 'mount -t tmpfs -o size=256k tmpfs "$1"';
  const mounts = await inNamespace(mount, dir).then(
    () => true,
    () => false,
  );
  if (!mounts) {
    t.log('this machine allows no mounts to a user: nothing was tried');
    t.pass();
    return;
  }
  const child = join(import.meta.dirname, 'full-disk-child.ts');
  const { stdout } = await inNamespace(`${mount} && exec "$2" "$3" "$1"`, dir, process.execPath, child);
  const { results, left, temporary } = Report.parse(JSON.parse(stdout));
  t.deepEqual(
    results.map(({ status }) => status),
    [200, 503, 503, 200, 503],
  );
  for (const { status, code, detail } of results) {
    if (status === 200) continue;
    t.is(code, 'dependency_unavailable');
    t.regex(detail ?? '', /The disk of the server is full: nothing was stored\. Free space/);
  }
  t.deepEqual({ left, temporary }, { left: 2, temporary: 0 });
});
