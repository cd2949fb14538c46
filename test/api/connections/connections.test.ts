import test from 'ava';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { ConnectionList } from '#domain/records/oauth.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const secrets = { access_token: 'at-1', refresh_token: 'rt-1' };

const create = (api: ApiClient, json: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  api.post('/connections', Connection, {
    json: { integration: 'github', integration_type: 'connectors', ...json },
    headers,
    status: 201,
  });
const patch = (api: ApiClient, id: string, json: unknown) =>
  api.get(`/connections/${id}`, Connection, { method: 'PATCH', json });
const detail = (api: ApiClient, id: string) => api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail);

test('a connection is created, read and listed in the specified shape, without credentials', async (t) => {
  const api = await freshClient();
  const fields = { label: 'Docs', config: { organization: 'example' }, user_id: 'ada' };
  const created = await create(api, { ...fields, credentials: secrets });
  t.like(created, { ...fields, integration: 'github', integration_type: 'connectors', status: 'active' });
  t.is(created.workspace_id, api.workspaceId);
  t.truthy(created.credential_id);
  const names =
    'config created_at created_by credential_id id integration integration_type label status updated_at user_id workspace_id';
  const got: unknown = await (await api.send(`/connections/${created.id}`)).json();
  t.is(
    Object.keys(got as object)
      .sort()
      .join(' '),
    names,
  );
  t.deepEqual(got, created);
  const list = await api.get('/connections', ConnectionList);
  t.deepEqual(list, { data: [created], total_count: 1, next_cursor: null, has_more: false });
  const bare = await create(api);
  t.like(bare, { label: null, config: {}, user_id: null, credential_id: null });
  t.is((await detail(api, bare.id)).credentials, null);
});

test('PATCH changes only the fields that are sent; new credentials reactivate a broken connection', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const api = await freshClient();
  const created = await create(api, { label: 'one', credentials: secrets });
  const versions = () =>
    behind.query(`select version, expires_at from credentials where id = :id`, { id: created.credential_id });
  let expected = created;
  for (const fields of [
    { label: 'two' },
    { config: { a: [1] } },
    { status: 'testing' },
    { label: null, status: 'inactive' },
  ] as const) {
    const changed = await patch(api, created.id, fields);
    expected = { ...expected, ...fields, updated_at: changed.updated_at };
    t.deepEqual(changed, expected);
  }
  t.deepEqual(await patch(api, created.id, {}), expected);
  t.deepEqual((await detail(api, created.id)).credentials, secrets);
  t.deepEqual(await versions(), [{ version: 1, expires_at: null }]);
  for (const [status, wanted] of [
    ['expired', 'active'],
    ['error', 'active'],
    ['inactive', 'inactive'],
  ] as const) {
    await behind.query(`update connections set status = :status where id = :id`, { status, id: created.id });
    await behind.query(`update credentials set expires_at = now() where id = :id`, { id: created.credential_id });
    const renewed = await patch(api, created.id, { credentials: { token: status } });
    t.like(renewed, { status: wanted, credential_id: created.credential_id });
    t.deepEqual((await detail(api, created.id)).credentials, { token: status });
  }
  t.deepEqual(await versions(), [{ version: 4, expires_at: null }]);
  const late = await create(api);
  t.truthy((await patch(api, late.id, { credentials: { token: 'x' } })).credential_id);
  t.deepEqual((await detail(api, late.id)).credentials, { token: 'x' });
});

test('every validation error of a connection is reported, and a label has at most 255 characters', async (t) => {
  const api = await freshClient();
  const json = {
    integration: '',
    integration_type: 'magic',
    label: 'l'.repeat(256),
    config: [],
    credentials: 'x',
    status: 'expired',
  };
  const { status, problems } = await api.fail('/connections', { method: 'POST', json });
  t.is(status, 422);
  t.deepEqual(problems.sort(), [
    'body.config invalid_type',
    'body.credentials invalid_type',
    'body.integration too_small',
    'body.integration_type invalid_value',
    'body.label too_big',
    'body.status invalid_value',
  ]);
  const { id } = await create(api, { label: 'l'.repeat(255) });
  for (const body of [
    { status: 'error' },
    { label: 'l'.repeat(256) },
    { integration: 'other' },
    { credentials: null },
  ]) {
    t.is((await api.fail(`/connections/${id}`, { method: 'PATCH', json: body })).status, 422, JSON.stringify(body));
  }
});

test('connections are filtered by integration, type, status and user, and paged', async (t) => {
  const api = await freshClient();
  await create(api, { label: 'a', user_id: 'ada' });
  await create(api, { label: 'b', integration: 'drive', integration_type: 'storage', user_id: 'bob' });
  await create(api, { label: 'c', status: 'inactive' });
  const labels = async (query: string) => {
    const { data, total_count } = await api.get(`/connections?${query}`, ConnectionList);
    t.is(total_count, data.length, query);
    return data.map(({ label }) => label).join('');
  };
  for (const [query, found] of [
    ['', 'abc'],
    ['integration=github', 'ac'],
    ['integration_type=storage', 'b'],
    ['status=inactive', 'c'],
    ['status=expired', ''],
    ['user_id=ada', 'a'],
    ['integration=github&user_id=bob', ''],
  ] as const)
    t.is(await labels(query), found, query);
  t.is((await api.fail('/connections?integration_type=magic')).status, 422);
  const seen: (string | null)[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: ConnectionList = await api.get(`/connections?limit=1${cursor && `&cursor=${cursor}`}`, ConnectionList);
    t.is(page.total_count, 3);
    seen.push(...page.data.map(({ label }) => label));
    cursor = page.next_cursor;
  }
  t.deepEqual(seen, ['a', 'b', 'c']);
});

test('a connection is visible only in its workspace, and is deleted with its credentials', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const [api, stranger] = [await freshClient(), await freshClient()];
  const { id, credential_id } = await create(api, { credentials: secrets });
  for (const [method, json] of [['GET'], ['PATCH', { label: 'x' }], ['DELETE']] as const) {
    t.is((await stranger.fail(`/connections/${id}`, { method, json })).status, 404, method);
  }
  const gone = await api.send(`/connections/${id}`, { method: 'DELETE' });
  t.deepEqual([gone.status, await gone.text()], [204, '']);
  t.deepEqual(await behind.query('select 1 from credentials where id = :credential_id', { credential_id }), []);
  for (const method of ['GET', 'DELETE']) t.is((await api.fail(`/connections/${id}`, { method })).status, 404);
});

test('the same Idempotency-Key creates one connection', async (t) => {
  const api = await freshClient();
  const headers = { 'Idempotency-Key': 'once' };
  const first = await create(api, { credentials: secrets }, headers);
  t.deepEqual(await create(api, { credentials: secrets }, headers), first);
  t.is((await api.get('/connections', ConnectionList)).total_count, 1);
  const json = { integration: 'github', integration_type: 'connectors', credentials: { other: 1 } };
  t.is((await api.fail('/connections', { method: 'POST', json, headers })).code, 'idempotency_mismatch');
});
