import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest from 'ava';
import { runCommand } from '#stack/processes/run-command.ts';
import {
  buildPythonClient,
  installInNewEnvironment,
  PYTHON_CLIENT_DIR,
  pythonTools,
} from '#test/client-python/python-package.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

// Installing these frameworks takes a minute or two: `npm run adapters` does it.
const isWanted = process.env['LOCI_TEST_ADAPTERS'] === 'all';
const tools = isWanted ? await pythonTools() : { missing: 'not wanted' };
if (isWanted && 'missing' in tools) console.log(`The Python retrievers are not tested here: ${tools.missing}`);
const test = 'missing' in tools ? anyTest.skip : anyTest;

test('the retrievers for LangChain and LlamaIndex work in chains and query engines', async (t) => {
  t.timeout(600_000);
  if ('missing' in tools) return;
  const folder = await mkdtemp(join(tmpdir(), 'loci-frameworks-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const wheel = await buildPythonClient(tools);
  const python = await installInNewEnvironment(folder, [`${wheel}[langchain,llama-index]`]);
  const { key } = await freshClient();
  const env = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  const args = ['-m', 'unittest', 'discover', '--start-directory', join(PYTHON_CLIENT_DIR, 'tests', 'frameworks')];
  await t.notThrowsAsync(runCommand({ file: python, args, cwd: folder, env }));
});
