import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest from 'ava';
import { runCommand } from '#stack/processes/run-command.ts';
import { copySearch, FOUND_NAME } from '#test/console/copy-search.ts';
import { codeBlocks, readDocument, section } from '#test/docs/markdown.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import {
  buildPythonClient,
  installInNewEnvironment,
  PYTHON_CLIENT_DIR,
  pythonTools,
} from '#test/client-python/python-package.ts';
import { testStack } from '#test/support/harness/stack.ts';

const tools = await pythonTools();
if ('missing' in tools) console.log(`The Python client is not tested here: ${tools.missing}`);
const test = 'missing' in tools ? anyTest.skip : anyTest.serial;
/** Python of the environment in which the built package is installed. */
let python = '';
let folder = '';

anyTest.before(async (t) => {
  t.timeout(480_000);
  if ('missing' in tools) return;
  folder = await mkdtemp(join(tmpdir(), 'loci-python-'));
  // Fails when openapi.json cannot be generated without warnings.
  python = await installInNewEnvironment(join(folder, 'environment'), [await buildPythonClient(tools)]);
});
anyTest.after.always(() => (folder === '' ? undefined : rm(folder, { recursive: true, force: true })));

test('the Python package works with the service: bytes, folders, lists, errors, retries, asyncio', async (t) => {
  t.timeout(480_000);
  const { key } = await freshClient();
  const env = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  const args = ['-m', 'unittest', 'discover', '--start-directory', join(PYTHON_CLIENT_DIR, 'tests')];
  await t.notThrowsAsync(runCommand({ file: python, args, cwd: folder, env }));
});

test('every Python block of its README and of the main README works as printed', async (t) => {
  t.timeout(480_000);
  const { key } = await freshClient();
  const own = join(folder, 'readme');
  await mkdir(join(own, '.loci'), { recursive: true });
  await mkdir(join(own, 'docs'));
  await writeFile(join(own, 'docs', 'otters.md'), '# Otters\n\nOtters hold hands while they sleep.\n');
  await writeFile(
    join(own, '.loci', 'connection.json'),
    JSON.stringify({ base_url: testStack().baseUrl, api_key: key }),
  );
  const blocks = [
    ...codeBlocks(readDocument('client-python/README.md'), 'python'),
    ...codeBlocks(section(readDocument('README.md'), '## Python'), 'python'),
  ];
  t.is(blocks.length, 4);
  for (const block of blocks) {
    const said = await runCommand({ file: python, args: ['-c', block], cwd: own });
    t.regex(said, /Otters hold hands|^0$/m);
  }
});

test('a search that is copied from the console as Python finds the same', async (t) => {
  t.timeout(480_000);
  const { codes, environment } = await copySearch('Python');
  for (const code of codes) {
    const printed = await runCommand({ file: python, args: ['-c', code], cwd: folder, env: environment });
    t.regex(printed, new RegExp(`^[\\d.]+ ${FOUND_NAME} Otters\\. it's`));
    t.notRegex(printed, /draft\.txt|old\.txt/);
  }
});

test('its sources are formatted, and without what the linter finds', async (t) => {
  if ('missing' in tools) return;
  for (const args of [
    ['check', '--quiet'],
    ['format', '--check', '--quiet'],
  ]) {
    const command = { file: join(tools.bin, 'ruff'), args: [...args, '--no-cache', PYTHON_CLIENT_DIR] };
    await t.notThrowsAsync(runCommand(command));
  }
});
