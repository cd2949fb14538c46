import test from 'ava';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { MemoryVersion } from '#domain/records/memory.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';
import { startCommandOf } from './start-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('the memories of a user are exported as lines of JSON, and forgotten', async (t) => {
  const loci = await startCommandOf(installed);
  const add = (text: string) => loci.run('memories', 'add', text, '-u', 'ada');
  await add('Likes birds');
  await add('Likes bees');
  const exported = (await loci.run('memories', 'export', '-u', 'ada')).stdout.trimEnd().split('\n');
  t.deepEqual(
    exported.map((line) => MemoryVersion.parse(JSON.parse(line)).memory),
    ['Likes birds', 'Likes bees'],
  );
  const unasked = await loci.run('memories', 'forget', '-u', 'ada');
  t.is(unasked.code, 1);
  t.regex(unasked.stderr, /Delete all 2 memories of ada, with their history\?/);
  await loci.json(DeletionAccepted, 'memories', 'forget', '-u', 'ada', '-y');
  t.is((await loci.run('memories', 'export', '-u', 'ada')).stdout, '');
});
