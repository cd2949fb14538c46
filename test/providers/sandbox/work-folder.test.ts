import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import { createWorkFolder } from '#providers/sandbox/work-folder.ts';

test('removes leftovers, but not folders in use on this machine or on others that share it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const inUse = basename(await createWorkFolder(folder));
  const names = {
    numberOfBefore: inUse.replace(/[^-]+$/, 'before'),
    elsewhere: 'loci-sandbox-0123456789ab-1-xxxxxx',
    elsewhereLongAgo: 'loci-sandbox-0123456789ab-1-yyyyyy',
    notOurs: 'photographs',
  };
  for (const name of Object.values(names)) await mkdir(join(folder, name));
  await utimes(join(folder, names.elsewhereLongAgo), 0, 0);
  const made = basename(await createWorkFolder(folder));
  t.deepEqual((await readdir(folder)).sort(), [inUse, made, names.elsewhere, names.notOurs].sort());
});
