import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import anyTest from 'ava';
import { z } from 'zod';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { readDocument, shellBlocks } from '#test/docs/markdown.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

// Installing the inspector takes a while, and 110 MB: `npm run adapters` does it.
const test = process.env['LOCI_TEST_ADAPTERS'] === 'all' ? anyTest : anyTest.skip;

const FOLDER = join(PROJECT_DIR, 'test', 'adapters', 'mcp-inspector');
const Tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });
const Called = z.looseObject({ structuredContent: z.looseObject({}), isError: z.boolean().optional() });

test('the inspector lists the tools, whose schemas it finds portable, calls them and reads resources', async (t) => {
  t.timeout(480_000);
  // Nothing that the package wants to run after it was installed is needed here.
  const install = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  await runCommand({ file: 'npm', args: install, cwd: FOLDER });
  const { key, ...api } = await freshClient();
  const { id } = await api.createCollection('otters');
  const { uploads } = await api.upload(id, [['files', new File(['Otters hold hands.'], 'otters.md')]]);
  const env = {
    LOCI_API_KEY: key,
    PATH: [join(FOLDER, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
    // It keeps its settings there.
    MCP_CATALOG_PATH: join(tmpdir(), `loci-inspector-${process.pid}.json`),
  };
  const [, , printed = ''] = shellBlocks(readDocument('docs/mcp.md'));
  const line = printed.replace('http://127.0.0.1:8700', testStack().baseUrl).trim();
  const inspect = async (more = ''): Promise<unknown> =>
    JSON.parse(await runCommand({ file: 'bash', args: ['-c', `${line} ${more}`], cwd: FOLDER, env }));

  t.is(Tools.parse(await inspect('--strict')).tools.length, 13);
  const found = await inspect('--method tools/call --tool-name search --tool-arg query=otters');
  t.like(Called.parse(found).structuredContent, { results: [{ content_name: 'otters.md' }] });
  const read = await inspect(`--method resources/read --uri loci://contents/${uploads[0]?.content_id}`);
  t.like(read, { contents: [{ text: 'Otters hold hands.' }] });
});
