import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { freshClient, type ApiClient, type Sent } from '#test/support/harness/api-client.ts';

const patch = (json?: unknown): Sent => (json === undefined ? { method: 'PATCH' } : { method: 'PATCH', json });
const create = (api: ApiClient, json: Record<string, unknown> = {}) =>
  api.post('/conversations', Conversation, { json, status: 201 });
const list = (api: ApiClient, query = '') => api.get(`/conversations?${query}`, ConversationList);
const titles = ({ data }: ConversationList) => data.map(({ title }) => title);

test('a conversation is created with defaults, read and listed', async (t) => {
  const api = await freshClient();
  const created = await create(api);
  t.like(created, {
    title: null,
    summary: null,
    status: 'active',
    is_public: false,
    collections: [],
    meta_data: {},
    settings: {},
    ended_at: null,
    owner_id: null,
    workspace_id: api.workspaceId,
  });
  t.deepEqual(await api.get(`/conversations/${created.id}`, Conversation), created);
  const answer: unknown = await (await api.send('/conversations')).json();
  t.deepEqual(answer, { data: [created], total_count: 1 });
});

test('the list supports skip and limit, newest first, and counts all matches', async (t) => {
  const api = await freshClient();
  for (const number of [1, 2, 3, 4, 5])
    await create(api, { title: `talk ${number}`, owner_id: number > 3 ? 'bob' : 'ada' });
  t.deepEqual(titles(await list(api)), ['talk 5', 'talk 4', 'talk 3', 'talk 2', 'talk 1']);
  const page = await list(api, 'skip=1&limit=2');
  t.deepEqual(titles(page), ['talk 4', 'talk 3']);
  t.is(page.total_count, 5);
  t.deepEqual(await list(api, 'skip=9'), { data: [], total_count: 5 });
  const ofAda = await list(api, 'user_id=ada&limit=1');
  t.deepEqual([titles(ofAda), ofAda.total_count], [['talk 3'], 3]);
});

test('the list is filtered by status and by collection', async (t) => {
  const api = await freshClient();
  const collection = await api.createCollection('about');
  const about = await create(api, { title: 'about', collections: [collection.id] });
  const ended = await create(api, { title: 'over' });
  const archived = await create(api, { title: 'kept' });
  await api.get(`/conversations/${ended.id}/end`, Conversation, patch());
  await api.get(`/conversations/${archived.id}/archive`, Conversation, patch());
  t.deepEqual(about.collections, [collection.id]);
  t.deepEqual(titles(await list(api, `collection_id=${collection.id}`)), ['about']);
  t.deepEqual(titles(await list(api, `collection_id=${randomUUID()}`)), []);
  for (const [status, title] of [
    ['active', 'about'],
    ['ended', 'over'],
    ['archived', 'kept'],
  ]) {
    t.deepEqual(titles(await list(api, `status=${status}`)), [title], status);
  }
});

test('a collection that is named several times is stored once', async (t) => {
  const api = await freshClient();
  const { id: one } = await api.createCollection('one');
  const { id: other } = await api.createCollection('other');
  const { id, collections } = await create(api, { collections: [one, one.toUpperCase()] });
  t.deepEqual(collections, [one]);
  const json = { collections: [other, one, other] };
  t.deepEqual((await api.get(`/conversations/${id}`, Conversation, patch(json))).collections, [other, one]);
});

test('title search tolerates typos, substrings and missing accents, in any script', async (t) => {
  const api = await freshClient();
  const all = [
    'The lighthouse keeper',
    'Crème brûlée for twelve',
    'Ёлки в зимнем лесу',
    '東京の天気予報',
    'Budget 2026',
    'Plan 🎉',
  ];
  for (const title of all) await create(api, { title });
  for (const [search, title] of [
    ['lighthouse', 'The lighthouse keeper'],
    ['LIGTHOUSE', 'The lighthouse keeper'],
    ['house kee', 'The lighthouse keeper'],
    ['creme brulee', 'Crème brûlée for twelve'],
    ['зимнем', 'Ёлки в зимнем лесу'],
    ['зимним лесу', 'Ёлки в зимнем лесу'],
    ['天気', '東京の天気予報'],
    ['budjet', 'Budget 2026'],
    ['026', 'Budget 2026'],
  ] as const) {
    const found = await list(api, `search=${encodeURIComponent(search)}`);
    t.deepEqual([titles(found), found.total_count], [[title], 1], search);
  }
  for (const search of ['submarine', '...', '%', '_']) {
    t.deepEqual(titles(await list(api, `search=${encodeURIComponent(search)}`)), [], search);
  }
});

test('title search finds no letters that a title does not have, and symbols that it has', async (t) => {
  const api = await freshClient();
  const all = ['Отчёт о встрече', '季度报告', '日本語', 'Launch 🚀 day', 'C++ or D', '100% of #7', 'snake_case'];
  for (const title of all) await create(api, { title });
  for (const [search, ...found] of [
    ['ai'],
    ['5'],
    ['\u0301'],
    ['c', 'snake_case', 'C++ or D', 'Launch 🚀 day'],
    ['🚀', 'Launch 🚀 day'],
    ['C++', 'C++ or D'],
    [' ++ ', 'C++ or D'],
    ['%', '100% of #7'],
    ['#', '100% of #7'],
    ['_', 'snake_case'],
    ['e_c', 'snake_case'],
    ['ВСТРЕЧА', 'Отчёт о встрече'],
    ['отчет', 'Отчёт о встрече'],
    ['度', '季度报告'],
  ]) {
    const { data, total_count } = await list(api, `search=${encodeURIComponent(search ?? '')}`);
    const sorted = data.map(({ title }) => title ?? '').toSorted();
    t.deepEqual([sorted, total_count], [found.toSorted(), found.length], search);
  }
});

test('PATCH changes only the fields that are sent', async (t) => {
  const api = await freshClient();
  const { id } = await create(api, { title: 'before', meta_data: { a: 1 }, settings: { b: 2 } });
  const changed = await api.get(`/conversations/${id}`, Conversation, patch({ title: 'after', is_public: true }));
  t.like(changed, { title: 'after', is_public: true, meta_data: { a: 1 }, settings: { b: 2 } });
  t.is((await api.get(`/conversations/${id}`, Conversation, patch({ title: null }))).title, null);
  t.deepEqual(titles(await list(api, 'search=after')), []);
  t.deepEqual(await list(api, 'search='), await list(api, ''), 'an empty text is no search');
});

test('a conversation can be ended, then archived, and neither is reversible', async (t) => {
  const api = await freshClient();
  const { id } = await create(api);
  const move = (action: string) => api.get(`/conversations/${id}/${action}`, Conversation, patch());
  const ended = await move('end');
  t.is(ended.status, 'ended');
  t.regex(ended.ended_at ?? '', /^\d{4}-/);
  t.deepEqual(await move('end'), ended, 'ending again changes nothing');
  const archived = await move('archive');
  t.like(archived, { status: 'archived', ended_at: ended.ended_at });
  t.deepEqual(await move('archive'), archived);
  for (const [path, sent] of [
    [`/conversations/${id}/end`, patch()],
    [`/conversations/${id}`, patch({ title: 'x' })],
  ] as const) {
    const answer = await api.fail(path, sent);
    t.deepEqual([answer.status, answer.code], [409, 'conflict'], path);
  }
  const straight = await create(api);
  const kept = await api.get(`/conversations/${straight.id}/archive`, Conversation, patch());
  t.is(kept.status, 'archived');
  t.not(kept.ended_at, null);
});

test('a deleted conversation answers 404', async (t) => {
  const api = await freshClient();
  const { id } = await create(api);
  const answer = await api.send(`/conversations/${id}`, { method: 'DELETE' });
  t.deepEqual([answer.status, await answer.text()], [204, '']);
  t.is((await api.fail(`/conversations/${id}`)).status, 404);
  t.is((await api.fail(`/conversations/${id}`, { method: 'DELETE' })).status, 404);
});

test('every validation error of a conversation is reported, and limits are enforced at their boundaries', async (t) => {
  const api = await freshClient();
  const bad = {
    title: 'x'.repeat(256),
    is_public: 'yes',
    collections: 'x',
    meta_data: [],
    settings: 1,
    status: 'ended',
  };
  t.deepEqual((await api.fail('/conversations', { method: 'POST', json: bad })).problems.sort(), [
    'body.collections invalid_type',
    'body.is_public invalid_type',
    'body.meta_data invalid_type',
    'body.settings invalid_type',
    'body.status unrecognized_keys',
    'body.title too_big',
  ]);
  await create(api, { title: 'x'.repeat(255) });
  t.deepEqual(
    (await api.fail(`/conversations?limit=1001&skip=-1&status=gone&search=${'x'.repeat(256)}`)).problems.sort(),
    ['query.limit too_big', 'query.search too_big', 'query.skip too_small', 'query.status invalid_value'],
  );
  for (const [limit, status] of [
    [0, 422],
    [1, 200],
    [1000, 200],
    [1001, 422],
  ] as const) {
    t.is((await api.send(`/conversations?limit=${limit}`)).status, status, `limit ${limit}`);
  }
  for (const id of [randomUUID(), 'nonsense', (await (await freshClient()).createCollection('foreign')).id]) {
    const json = { collections: [id] };
    t.is((await api.fail('/conversations', { method: 'POST', json })).status, 404, 'a collection out of reach');
  }
});

test('conversations of another workspace answer 404, like unknown ids', async (t) => {
  const api = await freshClient();
  const { id } = await create(api, { title: 'a secret plan', is_public: true });
  const stranger = await freshClient();
  for (const [path, sent] of [
    [`/conversations/${id}`, {}],
    [`/conversations/${id}`, patch({ title: 'x' })],
    [`/conversations/${id}/end`, patch()],
    [`/conversations/${id}/archive`, patch()],
    [`/conversations/${id}/messages`, {}],
    [`/conversations/${id}`, { method: 'DELETE' }],
  ] as const) {
    const foreign = await stranger.fail(path, sent);
    const absent = await stranger.fail(path.replace(id, randomUUID()), sent);
    t.deepEqual([foreign.status, foreign.code], [404, 'not_found'], path);
    t.is(foreign.body.detail, absent.body.detail, path);
  }
  t.deepEqual(await list(stranger, 'search=secret'), { data: [], total_count: 0 });
});

test('the same Idempotency-Key creates one conversation', async (t) => {
  const api = await freshClient();
  const sent = { method: 'POST', json: { title: 'once' }, headers: { 'Idempotency-Key': 'talk-1' } };
  const [first, again] = [await api.send('/conversations', sent), await api.send('/conversations', sent)];
  t.is(await first.text(), await again.text());
  t.is((await list(api)).total_count, 1);
});
