import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { ConnectionList } from '#domain/records/oauth.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openApiWithTokenUsers } from '#test/support/fixtures/token-users.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const CANARY = 'canarysecret';
const secrets = { access_token: `${CANARY}-1`, pin: 4711, nested: { keys: [`${CANARY}-2`, null], on: true } };
const masked = { access_token: '********', pin: '********', nested: { keys: ['********', null], on: '********' } };

const create = (api: ApiClient, json: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  api.post('/connections', Connection, {
    json: { integration: 'github', integration_type: 'connectors', ...json },
    headers,
    status: 201,
  });
const patch = (api: ApiClient, id: string, json: unknown) =>
  api.get(`/connections/${id}`, Connection, { method: 'PATCH', json });
const detail = (api: ApiClient, id: string) => api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail);

async function clientWithoutReveal(api: { workspaceId: string }): Promise<ApiClient> {
  return apiClient((await createKey({ workspaceId: api.workspaceId, permissions: ['connections:read'] })).key);
}

test('credentials are masked unless the key has connections:reveal', async (t) => {
  const api = await freshClient();
  const { id } = await create(api, { credentials: secrets });
  t.deepEqual((await detail(await clientWithoutReveal(api), id)).credentials, masked);
  const permissions = ['connections:read', 'connections:reveal'];
  const revealing = apiClient((await createKey({ workspaceId: api.workspaceId, permissions })).key);
  for (const client of [revealing, api]) t.deepEqual((await detail(client, id)).credentials, secrets);
  t.is((await api.get(`/connections/${id}?include_credentials=false`, ConnectionDetail)).credentials, undefined);
  t.deepEqual((await api.fail(`/connections/${id}?include_credentials=perhaps`)).problems, [
    'query.include_credentials invalid_value',
  ]);
});

test('secrets appear in no table and no log in plain text', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const api = await freshClient();
  const { id } = await create(api, { credentials: secrets }, { 'Idempotency-Key': 'connect' });
  await patch(api, id, { credentials: { ...secrets, pin: `${CANARY}-3` } });
  await api.fail('/connections', { method: 'POST', json: { integration: 5, credentials: secrets } });
  t.true(JSON.stringify(await detail(api, id)).includes(CANARY));
  const tables = await behind.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { name } of tables) {
    const found = await behind.query(`select 1 from "${name}" x where x::text like '%${CANARY}%' limit 1`);
    t.deepEqual(found, [], name);
  }
  const log = await readFile(join(testStack().stateDir, 'logs', 'api.log'), 'utf8');
  t.true(log.includes('/connections'), 'the log is of these requests');
  t.false(log.includes(CANARY));
});

test('encrypted credentials can be decrypted only in their own row', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const api = await freshClient();
  const [one, other] = [await create(api, { credentials: { a: 1 } }), await create(api, { credentials: { b: 2 } })];
  await behind.query(
    `update credentials set sealed = (select sealed from credentials where id = :from) where id = :to`,
    { from: one.credential_id, to: other.credential_id },
  );
  const { status, code } = await api.fail(`/connections/${other.id}?include_credentials=true`);
  t.deepEqual([status, code], [500, 'internal']);
  t.deepEqual((await detail(api, one.id)).credentials, { a: 1 });
});

test('a member sees own connections with masked credentials, an admin sees all of them in plain text', async (t) => {
  const { as } = await openApiWithTokenUsers(t);
  const [ada, bob, grace] = [as('ada', 'member'), as('bob', 'member'), as('grace', 'admin')];
  const json = { integration: 'github', integration_type: 'connectors', credentials: secrets };
  const made = Connection.parse((await ada('/connections', { method: 'POST', json })).body);
  t.like(made, { user_id: 'ada', created_by: 'user/ada' });
  const foreign = await bob('/connections', { method: 'POST', json: { ...json, user_id: 'ada' } });
  t.is(foreign.status, 422);
  const path = `/connections/${made.id}`;
  const ofAda = ConnectionDetail.parse((await ada(`${path}?include_credentials=true`)).body);
  t.deepEqual(ofAda.credentials, masked);
  const ofGrace = ConnectionDetail.parse((await grace(`${path}?include_credentials=true`)).body);
  t.deepEqual(ofGrace.credentials, secrets);
  const count = async (send: typeof ada, query = '') =>
    ConnectionList.parse((await send(`/connections${query}`)).body).total_count;
  t.deepEqual([await count(ada), await count(bob), await count(grace), await count(bob, '?user_id=ada')], [1, 0, 1, 0]);
  for (const [method, body] of [['GET'], ['PATCH', { label: 'mine' }], ['DELETE']] as const) {
    t.is((await bob(path, { method, json: body })).status, 404, method);
  }
  t.is((await grace(path, { method: 'PATCH', json: { label: 'ours' } })).status, 200);
  t.is((await ada(path, { method: 'DELETE' })).status, 204);
});
