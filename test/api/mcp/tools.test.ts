import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import { createKey } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { startSite } from '#test/support/servers/site-server.ts';
import { openMcpClient, PROTOCOL_VERSIONS } from './mcp-client.ts';
import { ownKey } from './own-key.ts';

const Uploaded = z.looseObject({ upload_id: z.string(), content_id: z.string(), status: z.string() });
const Found = z.object({
  results: z.array(z.looseObject({ text: z.string(), content_id: z.string(), start: z.int(), is_cut: z.boolean() })),
  next_offset: z.int().nullable(),
  note: z.string().nullable(),
});
const TextPart = z.looseObject({ text: z.string().nullable(), offset: z.int(), next_cursor: z.string().nullable() });
const Memory = z.looseObject({ memory_id: z.string(), memory: z.string() });

const as = (key: string) => ({ Authorization: `Bearer ${key}` });

for (const version of PROTOCOL_VERSIONS) {
  test(`a client of ${version} adds a text, finds it, reads it and sees names beside ids`, async (t) => {
    const flow = await startFlow();
    const mcp = await openMcpClient(t, { headers: as(flow.key), version });
    t.is(mcp.client.getNegotiatedProtocolVersion(), version);
    t.is((await mcp.names()).length, 13);
    const { collections } = await mcp.call('list_collections', z.object({ collections: z.array(z.unknown()) }));
    t.like(collections, [{ collection_id: flow.collectionId, name: 'flow', contents: 0, status: 'active' }]);
    const text = 'Otters hold hands while they sleep, so that they do not drift apart.';
    const added = { collection_id: flow.collectionId, text, name: 'otters.md', metadata: { lang: 'en' } };
    const { content_id: id } = await mcp.call('add_text', Uploaded, added);
    const found = await mcp.call('search', Found, { query: 'otters', filters: { lang: 'en' } });
    t.like(found.results, [{ content_id: id, content_name: 'otters.md', collection_name: 'flow', text, start: 0 }]);
    t.is(found.next_offset, null);
    const read = await mcp.call('get_content', TextPart, { content_id: id });
    t.like(read, { text, name: 'otters.md', collection_name: 'flow', metadata: { lang: 'en' }, next_cursor: null });
    const { contents } = await mcp.client.readResource({ uri: `loci://contents/${id}` });
    t.like(contents, [{ text, mimeType: 'text/markdown' }]);
  });
}

test('a text with an external id replaces the earlier one, and the status of the upload says so', async (t) => {
  const flow = await startFlow();
  const mcp = await openMcpClient(t, { headers: as(flow.key) });
  const note = { collection_id: flow.collectionId, name: 'note', external_id: 'n1' };
  const first = await mcp.call('add_text', Uploaded, { ...note, text: 'Basalt cools fast.' });
  const second = await mcp.call('add_text', Uploaded, { ...note, text: 'Granite cools slowly.' });
  t.like(second, { content_id: first.content_id, status: 'ready', replaced: true });
  const status = await mcp.call('upload_status', z.unknown(), { upload_id: second.upload_id });
  t.like(status, {
    status: 'completed',
    percent: 100,
    collection_name: 'flow',
    contents: [{ name: 'note', chunks: 1 }],
  });
  const listed = await mcp.call('list_contents', z.unknown(), { collection_id: flow.collectionId, search: 'NOTE' });
  t.like(listed, { total_count: 1, contents: [{ external_id: 'n1', collection_name: 'flow', status: 'ready' }] });
  t.like(await mcp.call('answer', z.unknown(), { question: 'How does granite cool?' }), {
    method: 'sentences',
    citations: [{ content_name: 'note', collection_name: 'flow', quote: 'Granite cools slowly.' }],
  });
});

test('a web page is downloaded and found under its URL, and why one was not is said', async (t) => {
  const site = await startSite({ '/rocks': '<html><body><p>Pumice floats on water.</p></body></html>' });
  t.teardown(site.close);
  const flow = await startFlow();
  const mcp = await openMcpClient(t, { headers: as(flow.key) });
  const page = { collection_id: flow.collectionId, url: `${site.origin}/rocks`, name: 'Rocks', wait_seconds: 50 };
  t.like(await mcp.call('add_url', Uploaded, page), { status: 'ready', name: 'Rocks' });
  const { results } = await mcp.call('search', Found, { query: 'pumice' });
  t.like(results, [{ content_name: page.url, text: 'Pumice floats on water.' }]);
  const missing = await mcp.call('add_url', Uploaded, { ...page, url: `${site.origin}/none`, name: 'None' });
  t.like(missing, {
    status: 'failed',
    note: 'It failed, and searches do not find it: upload_status says why, and what to do.',
  });
  const { contents } = await mcp.call('upload_status', z.object({ contents: z.array(z.unknown()) }), {
    upload_id: missing.upload_id,
  });
  t.like(contents, [{ name: 'None', status: 'failed', error_code: 'download_rejected' }]);
  const text = await mcp.call('get_content', z.looseObject({ text: z.null(), note: z.string() }), {
    content_id: missing.content_id,
  });
  t.is(text.note, 'There is no text: status_message says why it failed.');
});

test('memories are added, found, updated and forgotten, and a text is compressed', async (t) => {
  const { key } = await createKey();
  const mcp = await openMcpClient(t, { headers: as(key) });
  const One = z.object({ memory: Memory });
  const { memory } = await mcp.call('add_memory', One, { memory: 'Prefers tea.', user_id: 'ada', topics: ['drinks'] });
  const { memory_id: id } = memory;
  await mcp.call('update_memory', One, { memory_id: id, user_id: 'ada', memory: 'Prefers coffee.' });
  const asked = { query: 'coffee', user_id: 'ada', retrieval_method: 'keyword' };
  const found = await mcp.call('search_memories', z.object({ memories: z.array(Memory) }), asked);
  t.like(found.memories, [{ memory_id: id, memory: 'Prefers coffee.', topics: ['drinks'] }]);
  const long = {
    memory: '花'.repeat(16_384),
    user_id: 'bob',
    topics: Array.from({ length: 100 }, () => '崗'.repeat(100)),
  };
  const Written = z.object({ memory: Memory, is_shortened: z.boolean() });
  const written = await mcp.call('add_memory', Written, long);
  t.true(written.is_shortened && long.memory.startsWith(written.memory.memory));
  t.true(estimateTokens(JSON.stringify(written)) <= 6000);
  t.deepEqual(await mcp.call('forget_memory', z.unknown(), { memory_id: id }), { memory_id: id, deleted: true });
  t.like(await mcp.fail('forget_memory', { memory_id: id }), { code: 'not_found' });
  t.deepEqual((await mcp.fail('add_memory', { memory: 'x' })).problems, ['arguments.user_id missing']);
  t.deepEqual((await mcp.fail('search_memories', { query: ' ' })).problems, ['arguments.query missing']);
  const text = 'Slate splits well. '.repeat(20) + 'Marble takes a polish. '.repeat(20);
  const compressed = await mcp.call('compress', z.looseObject({ text: z.string() }), { text, query: 'marble' });
  t.true(compressed.text.length > 0 && compressed.text.length < text.length);
});

test('what is large is cut to the budget of tokens, and the rest follows from where it was cut', async (t) => {
  const flow = await startFlow();
  const mcp = await openMcpClient(t, { headers: as(flow.key) });
  const line = (at: number) => `Line ${at}: "granite", 花崗岩, 🪨 and ${'x'.repeat(at % 40)}\n`;
  const text = Array.from({ length: 1500 }, (_, at) => line(at)).join('');
  const form = { collection_id: flow.collectionId, name: 'large.txt', text };
  const { content_id: id } = await mcp.call('add_text', Uploaded, form);
  let [read, pages] = ['', 0];
  for (let cursor: string | undefined, isLast = false; !isLast; pages += 1) {
    const asked = { content_id: id, cursor, max_tokens: 4000 };
    const part: z.output<typeof TextPart> = await mcp.call('get_content', TextPart, asked);
    t.true(estimateTokens(JSON.stringify(part)) <= 4000);
    t.true(pages < 100 && part.text !== '');
    t.is(part.offset, read.length);
    read += part.text ?? '';
    cursor = part.next_cursor ?? undefined;
    isLast = cursor === undefined;
  }
  t.is(read, text);
  const [page, more] = (await mcp.client.readResource({ uri: `loci://contents/${id}?offset=100` })).contents;
  t.true(page !== undefined && 'text' in page && text.slice(100).startsWith(page.text) && page.text.length > 1000);
  const [next] = (await mcp.client.readResource({ uri: more?.uri ?? '' })).contents;
  const pageText = z.object({ text: z.string() });
  t.true(text.slice(100).startsWith(pageText.parse(page).text + pageText.parse(next).text));
  const asked = { query: 'granite', search_type: 'keyword', max_results: 20, max_tokens: 2500 };
  const one = await mcp.call('search', Found, asked);
  t.true(one.results.length > 0 && one.results.length < 20);
  t.regex(one.note ?? '', /more passages did not fit.*offset/);
  const two = await mcp.call('search', Found, { ...asked, offset: one.next_offset });
  const places = [...one.results, ...two.results].map(({ start }) => start);
  t.is(new Set(places).size, places.length, 'the next page repeats nothing');
  const small = await mcp.call('search', Found, { ...asked, max_tokens: 500 });
  t.like(small.results, [{ is_cut: true, start: places[0] }]);
});

test('a page of contents ends where its tokens do, and its cursor goes on with the next content', async (t) => {
  const flow = await startFlow();
  const files = Array.from({ length: 40 }, (_, at): ['file', File] => {
    const name = `${String(at).padStart(2, '0')}-${'long name '.repeat(60)}.txt`;
    return ['file', new File([`Text ${at}.`], name)];
  });
  await flow.upload(...files);
  const mcp = await openMcpClient(t, { headers: as(flow.key) });
  const Page = z.object({ contents: z.array(z.looseObject({ name: z.string() })), next_cursor: z.string().nullable() });
  const numbers: number[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
    const page: z.output<typeof Page> = await mcp.call('list_contents', Page, { cursor });
    t.true(estimateTokens(JSON.stringify(page)) <= 6000);
    numbers.push(...page.contents.map(({ name }) => Number(name.slice(0, 2))));
    cursor = page.next_cursor;
  }
  t.true(pages > 1);
  t.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, at) => at),
  );
  const resources = await mcp.client.listResources();
  t.is(new Set(resources.resources.map(({ uri }) => uri)).size, 40);
});

test('reading a content is one access, by the tool and as a resource', async (t) => {
  const flow = await startFlow();
  const mcp = await openMcpClient(t, { headers: as(flow.key) });
  const text = { collection_id: flow.collectionId, name: 'x', text: 'Gneiss is banded.' };
  const { content_id: id } = await mcp.call('add_text', Uploaded, text);
  await mcp.call('search', Found, { query: 'gneiss' });
  await mcp.call('get_content', TextPart, { content_id: id });
  await mcp.client.readResource({ uri: `loci://contents/${id}` });
  const Listed = z.object({ data: z.array(z.looseObject({ access_count: z.int() })) });
  const { data } = await until(
    () => flow.api.get('/contents', Listed),
    (listed) => listed.data.some((content) => content.access_count > 1),
  );
  t.like(data, [{ access_count: 2 }]);
});

test('the limits of compress say what the caller of a tool can do', async (t) => {
  const api = await openOwnApi(t, { settings: { LOCI_COMPRESS_MAX_BYTES: '1000' } });
  const mcp = await openMcpClient(t, { headers: as(await ownKey(api)), baseUrl: api.baseUrl });
  const { code, detail } = await mcp.fail('compress', { text: 'Granite is hard. '.repeat(100) });
  t.is(code, 'payload_too_large');
  t.is(detail, 'The text has more than 1000 bytes. Send it in smaller parts.');
});

test('arguments that are wrong are named one by one, and odd ones never become an internal error', async (t) => {
  const { key } = await createKey();
  const mcp = await openMcpClient(t, { headers: as(key) });
  const wrong = await mcp.fail('search', { quer: 'x', max_results: '5', filters: { $or: 1 }, collection_ids: ['x'] });
  t.is(wrong.code, 'validation_failed');
  t.deepEqual(wrong.problems.toSorted(), [
    'arguments.collection_ids.0 invalid_format',
    'arguments.filters.$or filter_type',
    'arguments.max_results invalid_type',
    'arguments.quer unrecognized_keys',
    'arguments.query missing',
  ]);
  t.regex(JSON.stringify(wrong.detail), /Unknown argument; search takes query, collection_ids/);
  const many = await mcp.fail(
    'list_collections',
    Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`a${at}`, 1])),
  );
  t.is(many.problems.length, 21, 'not more than a model can use');
  const id = randomUUID();
  const odd: [string, Record<string, unknown>][] = [
    ['list_contents', { filters: { 'chunk.page': 1 } }],
    ['list_contents', { cursor: 'x' }],
    ['list_contents', { search: 'x\0' }],
    ['list_collections', { search: 'x\0' }],
    ['answer', { question: 'x\0' }],
    ['search', { query: 'x\0' }],
    ['search_memories', { query: 'x\0' }],
    ['get_content', { content_id: id, offset: -1 }],
    ['get_content', { content_id: id, cursor: '' }],
    ['get_content', { content_id: "' or 1=1 --" }],
    ['add_text', { collection_id: id, text: 'a\0b', name: 'x\0' }],
    ['add_text', { collection_id: id, text: 'x', name: 'x', metadata: { 'x\0': 1 } }],
    ['add_memory', { user_id: 'u', memory: '\ud800' }],
    ['search_memories', { query: 'x', as_of: 'yesterday' }],
    ['compress', { text: 'x', target_ratio: 2 }],
  ];
  for (const [name, args] of odd) t.is((await mcp.fail(name, args)).code, 'validation_failed', JSON.stringify(args));
  t.is((await mcp.fail('add_url', { collection_id: id, url: 'file:///etc/passwd' })).code, 'invalid_url');
  await t.throwsAsync(mcp.client.callTool({ name: 'constructor' }), { message: /There is no such tool/ });
  await t.throwsAsync(mcp.client.readResource({ uri: 'file:///etc/passwd' }), {
    message: /loci:\/\/contents.*not_found/,
  });
  await t.throwsAsync(mcp.client.readResource({ uri: `loci://contents/${id}` }), { message: /not exist.*request / });
});
