import test from 'ava';
import { Collection, CollectionList } from '#domain/records/collection.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

test('a collection is created with defaults, read and listed', async (t) => {
  const api = await freshClient();
  const created = await api.post('/collections', Collection, { json: { name: 'Handbooks' }, status: 201 });
  t.like(created, {
    name: 'Handbooks',
    workspace_id: api.workspaceId,
    description: null,
    visibility: 'private',
    status: 'active',
    tags: [],
    parent_id: null,
    meta_data: {},
    settings: {},
    source_type: 'document',
    source_id: null,
  });
  t.regex(created.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(await api.get(`/collections/${created.id}`, Collection), created);
  const list = await api.get('/collections', CollectionList);
  t.deepEqual(list, { data: [created], total_count: 1, next_cursor: null, has_more: false });
});

test('the name has 1 to 100 characters and the description at most 255', async (t) => {
  const api = await freshClient();
  const create = async (json: Record<string, unknown>) =>
    (await api.send('/collections', { method: 'POST', json })).status;
  for (const [length, status] of [
    [0, 422],
    [1, 201],
    [100, 201],
    [101, 422],
  ] as const) {
    t.is(await create({ name: 'n'.repeat(length) }), status, `name of ${length}`);
  }
  t.is(await create({ name: 'n', description: 'd'.repeat(255) }), 201);
  t.is(await create({ name: 'n', description: 'd'.repeat(256) }), 422);
});

test('every validation error of a new collection is reported', async (t) => {
  const api = await freshClient();
  const json = {
    name: 7,
    description: 'd'.repeat(256),
    visibility: 'secret',
    tags: ['ok', 1],
    parent_id: 5,
    owner: 'me',
  };
  const { status, problems, body } = await api.fail('/collections', { method: 'POST', json });
  t.is(status, 422);
  t.deepEqual(Object.keys(body), ['detail']);
  t.deepEqual(problems.sort(), [
    'body.description too_big',
    'body.name invalid_type',
    'body.owner unrecognized_keys',
    'body.parent_id invalid_type',
    'body.tags.1 invalid_type',
    'body.visibility invalid_value',
  ]);
});

test('an unknown, foreign or malformed parent_id answers 404', async (t) => {
  const api = await freshClient();
  const parent = await api.createCollection('parent');
  const create = async (client: ApiClient, parent_id: string) =>
    (await client.send('/collections', { method: 'POST', json: { name: 'child', parent_id } })).status;
  t.is(await create(api, parent.id), 201);
  t.is(await create(api, 'nonsense'), 404);
  t.is(await create(api, '0198c0de-0000-7000-8000-00000000000c'), 404);
  t.is(await create(await freshClient(), parent.id), 404);
});

test('paging through collections skips and repeats nothing', async (t) => {
  const api = await freshClient();
  const names = Array.from({ length: 5 }, (_, index) => `collection ${index}`);
  for (const name of names) await api.createCollection(name);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page: CollectionList = await api.get(`/collections?limit=2${next}`, CollectionList);
    t.is(page.total_count, 5);
    t.is(page.has_more, page.next_cursor !== null);
    seen.push(...page.data.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  t.deepEqual(seen.sort(), names);
  const found = await api.get('/collections?search=TION%203', CollectionList);
  t.deepEqual(
    found.data.map(({ name }) => name),
    ['collection 3'],
  );
});

test('an invalid limit or cursor answers 422', async (t) => {
  const api = await freshClient();
  for (const limit of ['1', '1000']) t.is((await api.send(`/collections?limit=${limit}`)).status, 200);
  for (const limit of ['0', '1001', '-1', 'x', '']) {
    const { status, problems } = await api.fail(`/collections?limit=${limit}`);
    t.is(status, 422, limit);
    t.true(problems[0]?.startsWith('query.limit '));
  }
  const { status, problems } = await api.fail('/collections?cursor=nonsense');
  t.is(status, 422);
  t.true(problems[0]?.startsWith('query.cursor '));
});

test('the same Idempotency-Key creates one collection, and another body with it answers 422', async (t) => {
  const api = await freshClient();
  const headers = { 'Idempotency-Key': 'create-1' };
  const create = (json: unknown) => api.send('/collections', { method: 'POST', json, headers });
  const first = await create({ name: 'once', tags: ['a'] });
  const again = await create({ tags: ['a'], name: 'once' });
  t.is(again.status, 201);
  t.is(await again.text(), await first.text());
  t.is((await api.get('/collections', CollectionList)).total_count, 1);
  const other = await api.fail('/collections', { method: 'POST', json: { name: 'twice' }, headers });
  t.is(other.status, 422);
  t.is(other.code, 'idempotency_mismatch');
  for (const key of ['with space', 'k'.repeat(256)]) {
    const answer = await api.fail('/collections', {
      method: 'POST',
      json: { name: 'x' },
      headers: { 'Idempotency-Key': key },
    });
    t.deepEqual(answer.problems, ['header.Idempotency-Key invalid_format']);
  }
});
