import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { runCommand } from '#stack/processes/run-command.ts';
import { copySearch, FOUND_NAME } from '#test/console/copy-search.ts';
import { CLIENT_DIR } from '#test/support/harness/client-package.ts';
import { installCommand } from './installed-command.ts';

test('a search that is copied from the console as TypeScript compiles and finds the same', async (t) => {
  t.timeout(600_000);
  const installed = await installCommand();
  const folder = join(installed.folder, 'copied-search');
  await mkdir(folder, { recursive: true });
  const compiler = join(CLIENT_DIR, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--typeRoots'];
  const types = join(CLIENT_DIR, 'node_modules', '@types');
  const { codes, environment } = await copySearch('TypeScript');
  for (const [index, code] of codes.entries()) {
    const file = join(folder, `search-${index}.mts`);
    await writeFile(file, code);
    await runCommand({ file: process.execPath, args: [compiler, ...flags, types, file], cwd: folder });
    const program = join(folder, `search-${index}.mjs`);
    const printed = await runCommand({ file: process.execPath, args: [program], cwd: folder, env: environment });
    t.regex(printed, new RegExp(`^[\\d.]+ ${FOUND_NAME} Otters\\. it's`));
    t.notRegex(printed, /draft\.txt|old\.txt/);
  }
});
