import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { MemoryList } from '#domain/records/memory.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { buildClient } from '#test/support/harness/client-package.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startModelServer } from '#test/support/servers/model-server.ts';

const OTTERS = '# Otters\n\nOtters hold hands while they sleep.';
/** A character of two code units, in which the second part of four would end. */
const TEXT = 'One fox🦊.';
const Text = z.object({ content: z.unknown(), role: z.string() });
const Asked = z.looseObject({
  messages: z.array(Text),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});

test('a model of the AI SDK searches, reads and remembers with the tools, and gets errors in the words of the service', async (t) => {
  t.timeout(480_000);
  const { api, collectionId, run } = await openAdapter('ai-sdk');
  const calls: ((results: string[]) => [string, object])[] = [
    () => ['searchDocuments', { query: 'How do otters sleep?' }],
    ([found = '']) => ['readDocument', { contentId: contentIdOf(found), offset: 0 }],
    () => ['readDocument', { contentId: '00000000-0000-7000-8000-000000000000', offset: 0 }],
    () => ['rememberFact', { fact: 'Asks about otters.' }],
    () => ['searchMemories', { query: 'otters' }],
  ];
  const server = await startModelServer({
    path: '/chat/completions',
    request: Asked,
    answer: ({ messages }) => {
      const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
      const call = calls[results.length]?.(results);
      return { status: 200, body: completionOf(call ?? null, results) };
    },
  });
  t.teardown(server.close);
  const said = z
    .object({
      text: z.string(),
      results: z.array(z.object({ tool: z.string(), output: z.unknown().optional(), error: z.string().optional() })),
      withoutUser: z.array(z.string()),
    })
    .parse(await run('answer-with-tools.mjs', { MODEL_URL: server.baseUrl, COLLECTION_ID: collectionId }));
  t.like(said.results[0], { tool: 'searchDocuments' });
  t.regex(JSON.stringify(said.results[0]?.output), /otters\.md.*hold hands/);
  t.deepEqual(said.results[1], { tool: 'readDocument', output: { text: OTTERS.slice(0, 20), next: 20 } });
  t.regex(said.results[2]?.error ?? '', /does not exist/);
  t.regex(JSON.stringify(said.results[4]?.output), /Asks about otters/);
  t.regex(said.text, /hold hands/);
  const kept = await api.get('/memories?user_id=ada', MemoryList);
  t.deepEqual(
    kept.data.map(({ memory }) => memory),
    ['Asks about otters.'],
  );
  t.deepEqual(said.withoutUser, ['searchDocuments', 'readDocument']);
  t.is(server.requests[0]?.tools.length, 4);
});

test('a model of the AI SDK reads only documents of the collections that match the filters, in parts of whole characters', async (t) => {
  t.timeout(480_000);
  const { api, collectionId, run } = await openAdapter('ai-sdk');
  const upload = async (name: string, metadata: object, to = collectionId) => {
    const parts = [['files', new File([TEXT], name)] as const, ['metadata', JSON.stringify(metadata)] as const];
    return (await api.upload(to, parts)).uploads[0]?.content_id;
  };
  const other = await api.createCollection('of others');
  const contentId = await upload('small.txt', { lang: 'nn' });
  const ofOthers = await upload('of others.txt', { lang: 'nn' }, other.id);
  const options = { collectionIds: [other.id, collectionId], readCharacters: 4 };
  const filtered = (filters: object) => ({ ...options, search: { filters } });
  const own = { ...options, collectionIds: [collectionId] };
  const calls: [object, object][] = [
    [own, { contentId, offset: 0 }],
    [own, { contentId, offset: 4 }],
    [own, { contentId, offset: 9 }],
    [own, { contentId, offset: 99 }],
    [filtered({ lang: 'nn' }), { contentId: ofOthers, offset: 0 }],
    [{ search: { filters: { lang: 'nn' } } }, { contentId, offset: 0 }],
    [own, { contentId: ofOthers, offset: 0 }],
    [filtered({ lang: 'en' }), { contentId, offset: 0 }],
    [{ search: { filters: { lang: 'en' } } }, { contentId, offset: 0 }],
    [filtered({ 'chunk.page': 1 }), { contentId, offset: 0 }],
  ];
  const read = z.array(z.object({ text: z.string(), next: z.int().nullable() }).or(z.object({ error: z.string() })));
  const found = read.parse(await run('read-documents.mjs', { CALLS: JSON.stringify(calls) }));
  t.is(found.length, calls.length);
  for (const refused of found.slice(6, 9)) t.regex(JSON.stringify(refused), /^\{"error":"The content does not exist/);
  t.regex(JSON.stringify(found[9]), /^\{"error":.*chunk\.\* are for searches/);
  t.deepEqual(found.slice(0, 6), [
    { text: 'One ', next: 4 },
    { text: 'fox🦊', next: 9 },
    { text: '.', next: null },
    { text: '', next: null },
    { text: 'One ', next: 4 },
    { text: TEXT, next: null },
  ]);
});

test('a chain of LangChain.js gets the passages of the retriever as its context', async (t) => {
  t.timeout(480_000);
  const { collectionId, run } = await openAdapter('langchain');
  const said = z
    .object({
      document: z.object({ pageContent: z.string(), metadata: z.record(z.string(), z.unknown()) }),
      said: z.string(),
      refused: z.string(),
    })
    .parse(await run('run-chain.mjs', { COLLECTION_ID: collectionId }));
  t.like(said.document.metadata, { source: 'otters.md', lang: 'en', collection_id: collectionId });
  t.deepEqual(said.document.metadata['heading_path'], ['Otters']);
  t.regex(said.said, /hold hands[^]*How do otters sleep/);
  t.is(said.refused, 'not_found');
});

const built = new Map<string, Promise<void>>();

/** Installs and builds an adapter once: tests of the same one run together. */
async function buildAdapter(name: string): Promise<void> {
  await buildClient();
  for (const args of [
    ['ci', '--prefer-offline', '--no-audit', '--no-fund'],
    ['run', 'build'],
  ]) {
    await runCommand({ file: 'npm', args: ['--silent', ...args], cwd: folderOf(name) });
  }
}

const folderOf = (name: string) => join(PROJECT_DIR, 'adapters', name);

/** Builds an adapter, and uploads two documents. `run` runs a program of its `tests` and returns what it prints. */
async function openAdapter(name: 'ai-sdk' | 'langchain') {
  const building = built.get(name) ?? buildAdapter(name);
  built.set(name, building);
  await building;
  const api = await freshClient();
  const { id: collectionId } = await api.createCollection(name);
  const files = [
    ['files', new File([OTTERS], 'otters.md')],
    ['files', new File(['# Beavers\n\nBeavers build dams of wood.'], 'beavers.md')],
    ['metadata', JSON.stringify({ lang: 'en' })],
  ] as const;
  await api.upload(collectionId, files);
  return {
    api,
    collectionId,
    run: async (program: string, settings: Record<string, string>): Promise<unknown> => {
      const env = { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: api.key, ...settings };
      const args = [join(folderOf(name), 'tests', program)];
      return JSON.parse(await runCommand({ file: process.execPath, args, cwd: tmpdir(), env }));
    },
  };
}

function contentIdOf(found: string): string {
  return /"contentId":"([^"]+)"/.exec(found)?.[1] ?? '';
}

/** The answer of a model: a call of a tool, or after the last one what the first one found. */
function completionOf(call: [string, object] | null, results: readonly string[]) {
  const [name = '', input] = call ?? [];
  const message =
    call === null
      ? { role: 'assistant', content: results[0] ?? '' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `call-${results.length}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
          ],
        };
  const choice = { index: 0, message, finish_reason: call === null ? 'stop' : 'tool_calls' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { id: 'x', object: 'chat.completion', created: 1, model: 'any', choices: [choice], usage };
}
