import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { Compression } from '#domain/records/compression.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { folderOf } from './folders.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

test('a file is compressed and printed as text or JSON, and an invalid --ratio exits with code 2', async (t) => {
  const { key } = await startFlow();
  const environment = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  const file = join(await folderOf(t, {}), 'notes.md');
  await writeFile(
    file,
    'The harbour is old.\nThe ferry leaves at noon.\nBread is sold there.\n\nWhen does the ferry leave?\n',
  );
  const args = ['compress', file, '--strategy', 'extractive', '--ratio', '0.6'];
  const plain = await installed.run(args, { environment });
  t.like(plain, { code: 0, stderr: '' });
  t.regex(plain.stdout, /^The ferry leaves at noon\.\n\nWhen does the ferry leave\?/);
  const fallback = await installed.run(['compress', file], { environment });
  t.is(fallback.code, 0);
  t.regex(fallback.stderr, /No chat model is configured, so sentences of the text were kept/);
  const json = await installed.run([...args, '--json'], { environment });
  t.like(Compression.parse(JSON.parse(json.stdout)), {
    strategy_used: 'extractive',
    metadata: { query_source: 'last_sentence' },
  });
  t.is((await installed.run(['compress', file, '--ratio', '2'], { environment })).code, 2);
});
