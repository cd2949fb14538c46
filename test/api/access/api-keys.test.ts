import test from 'ava';
import { ApiKey, ApiKeyList, type CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { apiClient, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const LATER = '2100-01-01T00:00:00.000Z';

type KeyRequest = Partial<CreateApiKeyRequest>;

async function createKeyWith(client: ApiClient, request: KeyRequest = {}) {
  const json = { permissions: ['collections:read'], ...request };
  const made = await client.post('/api-keys', ApiKey, { json, status: 201 });
  return { ...made, client: apiClient(made.secret) };
}

test('creating a key returns a secret that is shown once and works immediately', async (t) => {
  const owner = await freshClient();
  const { client, ...made } = await createKeyWith(owner, {
    label: 'search page',
    permissions: ['collections:read', 'api-keys:read'],
  });
  t.regex(made.secret ?? '', new RegExp(`^loci_${made.key}_[0-9A-Za-z]{49}$`));
  t.like(made, {
    label: 'search page',
    workspace_id: owner.workspaceId,
    status: 'active',
    permissions: ['collections:read', 'api-keys:read'],
    collections: null,
    ip_whitelist: null,
    expires_at: null,
    last_used_at: null,
  });
  t.regex(made.created_by ?? '', /^api-key\/[0-9A-Za-z]{12}$/);
  t.false(made.hashed_secret.includes(made.secret ?? ''));
  const shown = await client.get(`/api-keys/${made.id}`, ApiKey);
  t.deepEqual({ ...shown, last_used_at: null }, { ...made, secret: null });
  const list = await owner.send('/api-keys');
  t.false((await list.text()).includes(made.secret ?? ''));
  t.is((await client.send('/collections')).status, 200);
  t.is((await client.fail('/collections', { method: 'POST', json: { name: 'x' } })).status, 403);
});

test('the list pages by cursor, page and skip, and returns the next page and cursor', async (t) => {
  const owner = await freshClient();
  for (const label of ['1', '2', '3', '4']) await createKeyWith(owner, { label });
  const get = (query: string) => owner.get(`/api-keys?${query}`, ApiKeyList);
  const labels = ({ data }: ApiKeyList) => data.map(({ label }) => label);
  const all = await get('');
  t.deepEqual(labels(all), ['a test', '1', '2', '3', '4']);
  t.like(all, { total_count: 5, page: 1, limit: 100, next_page: null, next_cursor: null, has_more: false });
  const first = await get('limit=2');
  t.like(first, { total_count: 5, page: 1, limit: 2, next_page: 2, has_more: true });
  const byCursor = await get(`limit=2&cursor=${first.next_cursor}`);
  t.deepEqual(labels(byCursor), ['2', '3']);
  t.deepEqual(await get('limit=2&page=2'), byCursor);
  t.deepEqual(await get('limit=2&skip=2'), byCursor);
  const last = await get(`limit=2&cursor=${byCursor.next_cursor}`);
  t.deepEqual(labels(last), ['4']);
  t.like(last, { page: 3, next_page: null, next_cursor: null, has_more: false });
  const askew = await get('limit=2&skip=1');
  t.deepEqual(labels(askew), ['1', '2']);
  t.like(askew, { page: 1, next_page: null, has_more: true });
  t.deepEqual(labels(await get(`limit=2&cursor=${askew.next_cursor}`)), ['3', '4']);
  t.deepEqual(labels(await get('skip=5')), []);
});

test('list parameters are validated at their lower and upper limits', async (t) => {
  const owner = await freshClient();
  const statusOf = async (query: string) => (await owner.send(`/api-keys?${query}`)).status;
  for (const query of ['skip=0', 'skip=1000000000', 'limit=1', 'limit=1000', 'page=1'])
    t.is(await statusOf(query), 200, query);
  for (const query of ['skip=-1', 'limit=0', 'limit=1001', 'page=0', 'limit=x', 'cursor=x', 'skip=0&page=1'])
    t.is(await statusOf(query), 422, query);
});

test('creating a key reports every validation error', async (t) => {
  const owner = await freshClient();
  const json = { permissions: ['collections:read', 'all:read'], label: '', collections: [], owner: 'me' };
  const first = await owner.fail('/api-keys', { method: 'POST', json });
  t.is(first.status, 422);
  t.deepEqual(first.problems.sort(), [
    'body.collections too_small',
    'body.label too_small',
    'body.owner unrecognized_keys',
    'body.permissions.1 unknown_permission',
  ]);
  const ip_whitelist = ['10.0.0.1', '10.0.0.1/8', '2001:db8::/32', 'localhost'];
  const second = await owner.fail('/api-keys', {
    method: 'POST',
    json: { permissions: ['*'], ip_whitelist, expires_at: '2020-01-01T00:00:00Z' },
  });
  t.is(second.status, 422);
  t.deepEqual(second.problems.sort(), [
    'body.expires_at not_in_future',
    'body.ip_whitelist.1 invalid_ip_range',
    'body.ip_whitelist.3 invalid_ip_range',
  ]);
  t.is((await owner.fail('/api-keys', { method: 'POST', json: { permissions: [] } })).status, 422);
  const never = async (expires_at: string) =>
    owner.fail('/api-keys', { method: 'POST', json: { permissions: ['*'], expires_at } });
  t.like(await never('9999-12-31T23:59:59-01:00'), { status: 422, problems: ['body.expires_at custom'] });
});

test('a change to the collections of a key takes effect with the next request', async (t) => {
  const owner = await freshClient();
  const [one, other] = [await owner.createCollection('one'), await owner.createCollection('other')];
  const limited = await createKeyWith(owner, { collections: [one.id] });
  const reached = async () => {
    const answers = [one, other].map(async ({ id }) => (await limited.client.send(`/collections/${id}`)).status);
    return Promise.all(answers);
  };
  t.deepEqual(await reached(), [200, 404]);
  await owner.get(`/api-keys/${limited.id}`, ApiKey, { method: 'PATCH', json: { collections: [other.id] } });
  t.deepEqual(await reached(), [404, 200]);
  await owner.get(`/api-keys/${limited.id}`, ApiKey, { method: 'PATCH', json: { collections: null } });
  t.deepEqual(await reached(), [200, 200]);
});

test('a key for a collection of another workspace answers 404, like an unknown collection', async (t) => {
  const owner = await freshClient();
  const foreign = await (await freshClient()).createCollection('foreign');
  const ask = async (id: string) =>
    owner.fail('/api-keys', { method: 'POST', json: { permissions: ['*'], collections: [id] } });
  const [one, other] = [await ask(foreign.id), await ask('0198c0de-0000-7000-8000-00000000000c')];
  t.is(one.status, 404);
  t.deepEqual({ ...one.body, request_id: '' }, { ...other.body, request_id: '' });
  const { id } = await createKeyWith(owner);
  t.is((await owner.fail(`/api-keys/${id}`, { method: 'PATCH', json: { collections: [foreign.id] } })).status, 404);
});

test('changes to permissions, IP whitelist, expiry and status of a key take effect with the next request', async (t) => {
  const owner = await freshClient();
  const { id, client } = await createKeyWith(owner, { expires_at: LATER, ip_whitelist: ['127.0.0.0/8', '::1'] });
  const patch = (json: KeyRequest) => owner.get(`/api-keys/${id}`, ApiKey, { method: 'PATCH', json });
  const status = async () => (await client.send('/collections')).status;
  t.is(await status(), 200);
  await patch({ ip_whitelist: ['203.0.113.7', '2001:db8::/32'] });
  t.is(await status(), 403);
  await patch({ ip_whitelist: null, permissions: ['chunks:read'] });
  t.is(await status(), 403);
  await patch({ permissions: ['collections:read'] });
  t.is(await status(), 200);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  await behind.query(`update api_keys set expires_at = now() - interval '1 second' where id = :id`, { id });
  t.is(await status(), 401);
  t.is((await owner.get(`/api-keys/${id}`, ApiKey)).status, 'expired');
  t.is((await patch({ expires_at: '2100-01-01T02:00:00+02:00' })).expires_at, LATER);
  t.is(await status(), 200);
  const revoked = await owner.send(`/api-keys/${id}`, { method: 'DELETE' });
  t.is(revoked.status, 204);
  t.is(await revoked.text(), '');
  t.is(await status(), 401);
  t.is((await owner.get(`/api-keys/${id}`, ApiKey)).status, 'revoked');
  t.is((await owner.send(`/api-keys/${id}`, { method: 'DELETE' })).status, 204);
  t.is((await owner.fail(`/api-keys/${id}`, { method: 'PATCH', json: { label: 'x' } })).status, 409);
  t.is((await owner.fail(`/api-keys/${id}/rotate`, { method: 'POST' })).status, 409);
});

test('PATCH changes only the fields that are sent', async (t) => {
  const owner = await freshClient();
  const { client: _, ...made } = await createKeyWith(owner, {
    label: 'before',
    expires_at: LATER,
    ip_whitelist: ['127.0.0.1'],
  });
  const changed = await owner.get(`/api-keys/${made.id}`, ApiKey, { method: 'PATCH', json: { label: null } });
  t.deepEqual(changed, { ...made, secret: null, label: null, updated_at: changed.updated_at });
  t.true(changed.updated_at > made.updated_at);
});

test('rotation returns a new secret, invalidates the old one and keeps all other fields', async (t) => {
  const owner = await freshClient();
  const { client, ...made } = await createKeyWith(owner);
  const headers = { 'Idempotency-Key': 'rotate-once' };
  const rotate = () => owner.post(`/api-keys/${made.id}/rotate`, ApiKey, { headers });
  const rotated = await rotate();
  const { hashed_secret, updated_at, secret } = rotated;
  t.deepEqual(rotated, { ...made, hashed_secret, updated_at, secret });
  t.not(secret, made.secret);
  t.is((await client.send('/collections')).status, 401);
  t.is((await apiClient(secret).send('/collections')).status, 200);
  t.deepEqual(await rotate(), rotated, 'the same request takes effect once');
});

test('the stored idempotency record and key row do not contain the plain secret', async (t) => {
  const owner = await freshClient();
  const headers = { 'Idempotency-Key': 'create-once' };
  const json = { permissions: ['*'] };
  const create = () => owner.post('/api-keys', ApiKey, { json, headers, status: 201 });
  const made = await create();
  t.deepEqual(await create(), made);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const rows = await behind.query<{ row: unknown }>(
    `select to_jsonb(x) as row from idempotency_keys x where workspace_id = :workspaceId
     union all select to_jsonb(k) from api_keys k where workspace_id = :workspaceId`,
    { workspaceId: owner.workspaceId },
  );
  t.is(rows.length, 3);
  t.false(JSON.stringify(rows).includes(made.secret ?? ''));
  t.false(JSON.stringify(rows).includes((made.secret ?? '').slice(-49)));
});
