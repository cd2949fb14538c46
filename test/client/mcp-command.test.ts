import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { createKey } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { cutOffCall } from '#test/api/mcp/cut-off-call.ts';
import { ownKey } from '#test/api/mcp/own-key.ts';
import { mcpCalls, PROTOCOL_VERSIONS, speaking } from '#test/api/mcp/mcp-client.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});

/** Starts `loci mcp` as a client of the protocol does. */
async function connect(t: ExecutionContext, key: string, { version = '2025-11-25', url = testStack().baseUrl } = {}) {
  const client = new Client({ name: 'loci-test', version: '1' }, speaking(version));
  const main = join(installed.folder, 'node_modules', '@loci', 'client', 'dist', 'cli', 'main.js');
  const env = { LOCI_URL: url, LOCI_API_KEY: key };
  const transport = new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env, stderr: 'ignore' });
  t.teardown(() => client.close());
  await client.connect(transport);
  return mcpCalls(client);
}

for (const version of PROTOCOL_VERSIONS) {
  test(`loci mcp offers the tools of the service over stdio to a client of ${version}`, async (t) => {
    const flow = await startFlow();
    await flow.upload(['file', new File(['Otters hold hands.'], 'otters.md')]);
    const mcp = await connect(t, flow.key, { version });
    t.is(mcp.client.getNegotiatedProtocolVersion(), version);
    t.is((await mcp.names()).length, 13);
    const found = await mcp.call('search', z.object({ results: z.array(z.unknown()) }), { query: 'otters\u2028hands' });
    t.like(found.results, [{ content_name: 'otters.md', collection_name: 'flow' }]);
    t.is((await mcp.fail('search', { query: 'x', collection_ids: ['x'] })).code, 'validation_failed');
    await t.throwsAsync(mcp.client.readResource({ uri: 'loci://contents/ü' }), { message: /not_found/ });
  });
}

test('loci mcp passes on what the service refuses, and says when it cannot be reached', async (t) => {
  const { key } = await createKey({ permissions: ['collections:read'] });
  const mcp = await connect(t, key);
  t.deepEqual(await mcp.names(), ['list_collections', 'search', 'answer']);
  await t.throwsAsync(connect(t, 'loci_no'), { message: /The API key is missing, unknown.*unauthorized, request / });
  await t.throwsAsync(connect(t, key, { url: 'http://127.0.0.1:1' }), {
    message: /Cannot reach http:\/\/127\.0\.0\.1:1/,
  });
});

test('a call over stdio ends when its client cancels it', async (t) => {
  const api = await openOwnApi(t);
  const key = await ownKey(api);
  await cutOffCall(t, { api, key, mcp: await connect(t, key, { url: api.baseUrl }) });
});

test('loci mcp answers every line and ends when its input does', async (t) => {
  const { key } = await createKey();
  const child = installed.start(['mcp'], {
    environment: { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: key },
    input: 'no JSON\n\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n{"jsonrpc":"2.0","id":8,"method":"none"}\n',
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  t.is(code, 0);
  const Answer = z.object({ id: z.int().nullable(), error: z.object({ code: z.int() }).optional() });
  const answers = output
    .trim()
    .split('\n')
    .map((line) => Answer.parse(JSON.parse(line)));
  // They come in the order in which the service answers.
  const sorted = answers.toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0));
  t.deepEqual(
    sorted.map(({ id, error }) => [id, error?.code]),
    [
      [null, -32700],
      [7, undefined],
      [8, -32601],
    ],
  );
});
