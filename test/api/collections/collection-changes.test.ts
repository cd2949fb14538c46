import test from 'ava';
import { Collection, CollectionList } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { freshClient, formFor, type ApiClient } from '#test/support/harness/api-client.ts';

const patch = (api: ApiClient, id: string, json: unknown) =>
  api.get(`/collections/${id}`, Collection, { method: 'PATCH', json });

test('repeated with the same Idempotency-Key, stats do not overwrite a change in between', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('one');
  const put = (json: object, key: string) =>
    api.get(`/collections/${id}/stats`, Collection, { method: 'PUT', json, headers: { 'Idempotency-Key': key } });
  const first = await put({ readers: 1 }, 'stats-1');
  await put({ readers: 2 }, 'stats-2');
  t.deepEqual(await put({ readers: 1 }, 'stats-1'), first);
  t.like(await api.get(`/collections/${id}`, Collection), { stats: { readers: 2 } });
  const other = { method: 'PUT', json: { readers: 3 }, headers: { 'Idempotency-Key': 'stats-1' } };
  t.is((await api.fail(`/collections/${id}/stats`, other)).code, 'idempotency_mismatch');
});

test('PATCH changes only the fields that are sent', async (t) => {
  const api = await freshClient();
  const json = { name: 'one', description: 'first', tags: ['a'], meta_data: { k: 1 }, settings: { s: true } };
  const created = await api.post('/collections', Collection, { json, status: 201 });
  const renamed = await patch(api, created.id, { name: 'two' });
  t.deepEqual(renamed, { ...created, name: 'two', updated_at: renamed.updated_at });
  t.true(renamed.updated_at > created.updated_at);
  const fields = { description: null, visibility: 'public', tags: [], meta_data: {}, settings: { other: 1 } };
  const changed = await patch(api, created.id, fields);
  t.deepEqual(changed, { ...renamed, ...fields, updated_at: changed.updated_at } as Collection);
  t.deepEqual(await patch(api, created.id, {}), changed);
  t.deepEqual(await api.get(`/collections/${created.id}`, Collection), changed);
});

test('every validation error of a change is reported, and nothing is changed', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('one');
  const json = {
    name: '',
    description: 'd'.repeat(256),
    visibility: 'no',
    tags: 'x',
    meta_data: [],
    status: 'archived',
  };
  const { status, problems } = await api.fail(`/collections/${id}`, { method: 'PATCH', json });
  t.is(status, 422);
  t.deepEqual(problems.sort(), [
    'body.description too_big',
    'body.meta_data invalid_type',
    'body.name too_small',
    'body.status unrecognized_keys',
    'body.tags invalid_type',
    'body.visibility invalid_value',
  ]);
  t.is((await api.get(`/collections/${id}`, Collection)).name, 'one');
});

test('parents never form a cycle, not even with concurrent moves', async (t) => {
  const api = await freshClient();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push((await api.createCollection(name)).id);
  const [a = '', b = '', c = ''] = ids;
  t.is((await patch(api, b, { parent_id: a })).parent_id, a);
  await patch(api, c, { parent_id: b });
  for (const parent_id of [a, b, c]) {
    const { status, problems } = await api.fail(`/collections/${a}`, { method: 'PATCH', json: { parent_id } });
    t.deepEqual([status, problems], [422, ['body.parent_id parent_cycle']]);
  }
  for (const parent_id of [
    '0198c0de-0000-7000-8000-00000000000c',
    (await (await freshClient()).createCollection('x')).id,
  ]) {
    t.is((await api.fail(`/collections/${a}`, { method: 'PATCH', json: { parent_id } })).status, 404);
  }
  t.is((await patch(api, c, { parent_id: null })).parent_id, null);
  await patch(api, b, { parent_id: null });
  // Each collection moves below the next one: all but one of the moves are possible.
  const moves = ids.map((id, index) =>
    api.send(`/collections/${id}`, { method: 'PATCH', json: { parent_id: ids[(index + 1) % ids.length] } }),
  );
  const statuses = (await Promise.all(moves)).map(({ status }) => status);
  t.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [200, 200, 200, 422],
  );
});

test('concurrent changes of different fields are all kept', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('one');
  const fields = { name: 'two', description: 'new', tags: ['t'], meta_data: { m: 1 }, settings: { s: 1 } };
  await Promise.all(Object.entries(fields).map(([field, value]) => patch(api, id, { [field]: value })));
  t.like(await api.get(`/collections/${id}`, Collection), fields);
});

test('client statistics are returned beside the computed ones, which take precedence', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('counted');
  await api.upload(id, [['content', 'Twelve wells.']]);
  const put = (json: unknown) => api.get(`/collections/${id}/stats`, Collection, { method: 'PUT', json });
  const computed = { contents: 1, contents_by_status: { ready: 1 }, chunks: 1, bytes: 13 };
  t.deepEqual((await api.get(`/collections/${id}`, Collection)).stats, computed);
  t.deepEqual((await put({ quality: 0.9, contents: 99, chunks: 'many' })).stats, { quality: 0.9, ...computed });
  t.deepEqual((await put({ reviewed: true })).stats, { reviewed: true, ...computed });
  t.deepEqual((await api.get(`/collections/${id}`, Collection)).stats, { reviewed: true, ...computed });
  for (const json of [[], 'text', 5, null, { 'a\u0000': 1 }]) {
    t.is((await api.fail(`/collections/${id}/stats`, { method: 'PUT', json })).status, 422, JSON.stringify(json));
  }
});

test('an archived collection can be read and searched, but not changed until it is unarchived', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('old');
  const { uploads } = await api.upload(id, [
    ['content', 'The tide turns.'],
    ['file', new File([' '], 'blank.txt')],
  ]);
  const contents = new Map(uploads.map(({ status, content_id }) => [status, content_id]));
  const archived = await api.post(`/collections/${id}/archive`, Collection);
  t.is(archived.status, 'archived');
  t.deepEqual(await api.post(`/collections/${id}/archive`, Collection), archived, 'archiving again changes nothing');
  t.deepEqual(await api.get(`/collections/${id}`, Collection), archived);
  const json = { query: 'tide', collection_id: id };
  t.is(
    (await (await api.send('/collections/search', { method: 'POST', json })).text()).includes('The tide turns'),
    true,
  );
  t.is((await api.fail('/upload', { method: 'POST', body: formFor(id, [['content', 'x']]) })).status, 403);
  const refused = [
    ['PATCH', `/collections/${id}`, { name: 'new' }],
    ['PUT', `/collections/${id}/stats`, {}],
    ['POST', `/contents/${contents.get('failed')}/retry`, undefined],
    ['POST', '/chunks/create', { content_id: contents.get('failed') }],
  ] as const;
  for (const [method, path, body] of refused) {
    const { status, code } = await api.fail(path, { method, json: body });
    t.deepEqual([status, code], [409, 'conflict'], path);
  }
  t.is((await api.post(`/collections/${id}/unarchive`, Collection)).status, 'active');
  t.is((await api.post(`/collections/${id}/unarchive`, Collection)).status, 'active');
  t.is((await patch(api, id, { name: 'new' })).name, 'new');
  await api.upload(id, [['content', 'The tide turns again.']]);
  t.is((await api.post(`/contents/${contents.get('failed')}/retry`, Content)).status, 'pending');
});

test('an archive request repeated with its Idempotency-Key takes effect once', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('old');
  const headers = { 'Idempotency-Key': 'archive-1' };
  const first = await api.post(`/collections/${id}/archive`, Collection, { headers });
  await api.post(`/collections/${id}/unarchive`, Collection);
  t.deepEqual(await api.post(`/collections/${id}/archive`, Collection, { headers }), first);
  t.is((await api.get(`/collections/${id}`, Collection)).status, 'active');
  const other = await api.fail(`/collections/${id}/unarchive`, { method: 'POST', headers });
  t.is(other.code, 'idempotency_mismatch');
});

test('collections are filtered by status, visibility, tag, parent and name', async (t) => {
  const api = await freshClient();
  const create = (json: Record<string, unknown>) => api.post('/collections', Collection, { json, status: 201 });
  const root = await create({ name: 'Root', tags: ['x', 'y'] });
  await create({ name: 'Leaf', parent_id: root.id, visibility: 'public', tags: ['y'] });
  const old = await create({ name: 'Old root' });
  await api.post(`/collections/${old.id}/archive`, Collection);
  const names = async (query: string) => {
    const { data, total_count } = await api.get(`/collections?${query}`, CollectionList);
    t.is(total_count, data.length, query);
    return data.map(({ name }) => name).join();
  };
  t.is(await names(''), 'Root,Leaf,Old root');
  t.is(await names('status=active'), 'Root,Leaf');
  t.is(await names('status=archived'), 'Old root');
  t.is(await names('status=deleting'), '');
  t.is(await names('visibility=public'), 'Leaf');
  t.is(await names('tag=y'), 'Root,Leaf');
  t.is(await names('tag=x'), 'Root');
  t.is(await names('tag=x,y'), '');
  t.is(await names(`parent_id=${root.id}`), 'Leaf');
  t.is(await names(`parent_id=${old.id}`), '');
  t.is(await names('search=ROOT'), 'Root,Old root');
  t.is(await names('search=root&status=active&tag=x&visibility=private'), 'Root');
  for (const query of ['visibility=secret', 'status=gone', `tag=${'t'.repeat(101)}`]) {
    t.is((await api.fail(`/collections?${query}`)).status, 422, query);
  }
  const first = await api.get('/collections?limit=1&tag=y', CollectionList);
  const other = await api.fail(`/collections?limit=1&tag=x&cursor=${first.next_cursor}`);
  t.deepEqual(other.problems, ['query.cursor cursor_invalid']);
});
