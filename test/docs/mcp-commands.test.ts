import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { runCommand } from '#stack/processes/run-command.ts';
import { openMcpClient } from '#test/api/mcp/mcp-client.ts';
import { installCommand, type InstalledCommand } from '#test/client/installed-command.ts';
import { createKey, freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startSite } from '#test/support/servers/site-server.ts';
import { codeBlocks, readDocument, section, shellBlocks } from './markdown.ts';

const ADDRESS = 'http://127.0.0.1:8700';
const READING = [
  'list_collections',
  'search',
  'answer',
  'list_contents',
  'get_content',
  'upload_status',
  'search_memories',
];
/** Prints its arguments, in place of a program that is not installed here. */
const printing = (program: string) => `${program}() { printf '%s\\n' "$@"; }`;

let installed: InstalledCommand;
/** A folder with the command `loci`, for the PATH. */
let bin: string;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
  bin = join(installed.folder, 'node_modules', '.bin');
  const main = join(installed.folder, 'node_modules', '@loci', 'client', 'dist', 'cli', 'main.js');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'loci'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
});

/** Runs lines of a document with `loci` on the PATH, in a folder of their own. Returns what they print. */
async function runLines(t: ExecutionContext, lines: string, key: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'loci-lines-'));
  t.teardown(() => rm(cwd, { recursive: true, force: true }));
  await mkdir(join(cwd, 'docs'));
  await writeFile(join(cwd, 'docs', 'otters.md'), 'Otters hold hands while they sleep.');
  await writeFile(join(cwd, 'notes.md'), 'Beavers build dams. They use wood for it. The dams hold water.');
  const PATH = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const env = { PATH, LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key };
  return runCommand({ file: 'bash', args: ['-c', `set -eu\n${lines}`], cwd, env });
}

test('the lines and configurations of docs/mcp.md connect clients as printed', async (t) => {
  t.timeout(480_000);
  const page = readDocument('docs/mcp.md').replaceAll(ADDRESS, testStack().baseUrl);
  const [create = '', claude = '', inspector = '', ...others] = shellBlocks(page);
  t.deepEqual(others, []);
  const [key = ''] = /\bloci_\w+/.exec(await runLines(t, create, (await createKey()).key)) ?? [];
  const [url, header] = [`${testStack().baseUrl}/mcp`, `Authorization: Bearer ${key}`];
  const added = await runLines(t, `${printing('claude')}\n${claude}`, key);
  t.deepEqual(added.trim().split('\n'), ['mcp', 'add', '--transport', 'http', 'loci', url, '--header', header]);
  // npm run adapters runs the inspector.
  const inspected = (await runLines(t, `${printing('npx')}\n${inspector}`, key)).trim().split('\n');
  t.deepEqual(inspected.slice(1), ['--cli', url, '--transport', 'http', '--header', header, '--method', 'tools/list']);

  const [desktop = '', cursor = '', code = ''] = codeBlocks(page, 'json');
  t.deepEqual(await toolsOfDesktop(t, desktop, key), READING);
  const Remote = z.strictObject({ url: z.literal(url), headers: z.record(z.string(), z.string()) });
  const Cursor = z.strictObject({ mcpServers: z.strictObject({ loci: Remote }) });
  const { headers } = Cursor.parse(JSON.parse(cursor.replace('${env:LOCI_API_KEY}', key))).mcpServers.loci;
  t.deepEqual(await (await openMcpClient(t, { headers })).names(), READING);
  const Input = z.strictObject({
    type: z.literal('promptString'),
    id: z.string(),
    description: z.string(),
    password: z.literal(true),
  });
  const Code = z.strictObject({
    inputs: z.tuple([Input]),
    servers: z.strictObject({ loci: Remote.extend({ type: z.literal('http') }) }),
  });
  const { inputs, servers } = Code.parse(JSON.parse(code));
  const entered = Object.entries(servers.loci.headers).map(([name, value]) => [
    name,
    value.replace(`\${input:${inputs[0].id}}`, key),
  ]);
  t.deepEqual(await (await openMcpClient(t, { headers: Object.fromEntries(entered) })).names(), READING);
});

/** Starts the command of the configuration as the application does. */
async function toolsOfDesktop(t: ExecutionContext, configuration: string, key: string): Promise<string[]> {
  const Local = z.strictObject({
    command: z.literal('loci'),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()),
  });
  const parsed = z.strictObject({ mcpServers: z.strictObject({ loci: Local }) }).parse(JSON.parse(configuration));
  const { command, args, env } = parsed.mcpServers.loci;
  const own = { ...env, LOCI_API_KEY: env['LOCI_API_KEY']?.replace('loci_…', key) ?? '' };
  const client = new Client({ name: 'loci-test', version: '1' });
  t.teardown(() => client.close());
  await client.connect(new StdioClientTransport({ command: join(bin, command), args, env: own, stderr: 'ignore' }));
  return (await client.listTools()).tools.map(({ name }) => name);
}

test('the commands of the README of the client work as printed', async (t) => {
  t.timeout(480_000);
  const site = await startSite({ '/': '<p>Herons stand still.</p>' });
  t.teardown(site.close);
  const { key, ...api } = await freshClient();
  const { id } = await api.createCollection('of an upload');
  const { upload_id: uploadId } = await api.upload(id, [['content', 'Herons fish.']]);
  const [lines = ''] = shellBlocks(section(readDocument('client/README.md'), '## The command'));
  const run = lines
    .replace('https://example.com/ ', `${site.origin}/ `)
    .replace('UPLOAD', uploadId ?? '')
    .replace(/^loci mcp/m, `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | loci mcp`);
  const printed = await runLines(t, run, key);
  t.regex(printed, /hold hands/);
  t.regex(printed, /"name":"search_memories"/);
});

test('the lines of the README put a file and a folder into a collection, which follows the folder when they are repeated', async (t) => {
  t.timeout(480_000);
  const { key, ...api } = await freshClient();
  const { id } = await api.createCollection('getting-started');
  const [printed = ''] = shellBlocks(
    section(readDocument('README.md'), '## The `loci` command and the TypeScript client'),
  );
  const [install = '', ...lines] = printed.trim().split('\n');
  t.regex(install, /^npm run client && /);
  const twice = [
    `echo 'About Loci.' > README.md`,
    ...lines,
    `echo Voles. > docs/voles.md; rm docs/otters.md`,
    ...lines,
  ];
  await runLines(t, twice.join('\n'), key);
  const { data } = await api.get(
    `/contents?collection_id=${id}`,
    z.object({ data: z.array(z.object({ name: z.string() })) }),
  );
  t.deepEqual(data.map(({ name }) => name).toSorted(), ['README.md', 'docs/voles.md']);
});

test('the line and the configurations of the README connect assistants with the key of the first upload', async (t) => {
  t.timeout(480_000);
  const page = section(readDocument('README.md'), '## Assistants (MCP)').replaceAll(ADDRESS, testStack().baseUrl);
  const { key } = await createKey();
  const [claude = ''] = shellBlocks(page);
  const added = await runLines(t, `unset LOCI_API_KEY\nLOCI_KEY=${key}\n${printing('claude')}\n${claude}`, 'none');
  t.true(added.endsWith(`${testStack().baseUrl}/mcp\n--header\nAuthorization: Bearer ${key}\n`), added);
  const [, desktop = ''] = codeBlocks(page, 'json');
  t.true((await toolsOfDesktop(t, desktop, key)).includes('search'));
});
