import test from 'ava';
import { ApiKey, ApiKeyList, type CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const LATER = '2100-01-01T00:00:00.000Z';

type KeyRequest = Partial<CreateApiKeyRequest>;

async function createKeyWith(client: ApiClient, request: KeyRequest = {}) {
  const json = { permissions: ['collections:read'], ...request };
  const made = await client.post('/api-keys', ApiKey, { json, status: 201 });
  return { ...made, client: apiClient(made.secret) };
}

test('a key cannot create a key with a permission it lacks', async (t) => {
  const owner = await freshClient();
  const { client } = await createKeyWith(owner, { permissions: ['api-keys:write', 'collections:read'] });
  const ask = async (permissions: string[]) =>
    (await client.send('/api-keys', { method: 'POST', json: { permissions } })).status;
  t.is(await ask(['collections:read']), 201);
  for (const permission of ['collections:write', 'connections:reveal', '*'])
    t.is(await ask([permission]), 403, permission);
  const weak = await createKeyWith(client);
  t.is((await client.fail(`/api-keys/${weak.id}`, { method: 'PATCH', json: { permissions: ['*'] } })).status, 403);
});

test('a key cannot change or rotate a key that has more permissions', async (t) => {
  const owner = await freshClient();
  const strong = await createKeyWith(owner, { permissions: ['*'] });
  const { client } = await createKeyWith(owner, { permissions: ['api-keys:write'] });
  t.is((await client.fail(`/api-keys/${strong.id}/rotate`, { method: 'POST' })).status, 403);
  t.is(
    (await client.fail(`/api-keys/${strong.id}`, { method: 'PATCH', json: { permissions: ['api-keys:write'] } }))
      .status,
    403,
  );
  t.is((await strong.client.send('/collections')).status, 200);
});

test('a limited key passes its limits to the keys it creates and cannot exceed them', async (t) => {
  const owner = await freshClient();
  const [one, other] = [await owner.createCollection('one'), await owner.createCollection('other')];
  const limits = { collections: [one.id], ip_whitelist: ['127.0.0.0/8'], expires_at: '2090-01-01T00:00:00.000Z' };
  const unlimited = await createKeyWith(owner);
  const { client } = await createKeyWith(owner, {
    permissions: ['api-keys:write', 'api-keys:read', 'api-keys:delete'],
    ...limits,
  });
  const ask = async (request: KeyRequest) =>
    (await client.send('/api-keys', { method: 'POST', json: { permissions: ['api-keys:read'], ...request } })).status;
  const child = await createKeyWith(client, { permissions: ['api-keys:read'] });
  t.like(child, limits);
  t.is(await ask({ ip_whitelist: ['127.0.0.1'], expires_at: '2089-12-31T23:59:59Z' }), 201);
  t.is(await ask({ collections: null }), 403);
  t.is(await ask({ collections: [other.id] }), 404);
  t.is(await ask({ ip_whitelist: null }), 403);
  t.is(await ask({ ip_whitelist: ['0.0.0.0/0'] }), 403);
  t.is(await ask({ ip_whitelist: ['127.0.0.1', '::1'] }), 403);
  t.is(await ask({ expires_at: null }), 403);
  t.is(await ask({ expires_at: LATER }), 403);
  const { data, total_count } = await client.get('/api-keys', ApiKeyList);
  t.is(total_count, 3);
  t.false(data.some(({ id }) => id === unlimited.id));
  for (const sent of [{}, { method: 'DELETE' }, { method: 'PATCH', json: { label: 'x' } }]) {
    t.is((await client.fail(`/api-keys/${unlimited.id}`, sent)).status, 404);
  }
});

test('API keys of another workspace answer 404, like unknown ids', async (t) => {
  const { id } = await createKeyWith(await freshClient());
  const { key } = await createKey();
  const stranger = apiClient(key);
  for (const sent of [{}, { method: 'DELETE' }, { method: 'PATCH', json: { label: 'x' } }]) {
    const [foreign, absent] = [
      await stranger.fail(`/api-keys/${id}`, sent),
      await stranger.fail('/api-keys/0198c0de-0000-7000-8000-00000000000c', sent),
    ];
    t.is(foreign.status, 404);
    t.deepEqual({ ...foreign.body, request_id: '' }, { ...absent.body, request_id: '' });
  }
  t.is((await stranger.fail(`/api-keys/${id}/rotate`, { method: 'POST' })).status, 404);
  t.is((await stranger.get('/api-keys', ApiKeyList)).total_count, 1);
});
