import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { encodeCursor } from '#domain/cursor.ts';
import { ApiKey, ApiKeyList } from '#domain/records/api-key.ts';
import { CollectionList } from '#domain/records/collection.ts';
import { CreatedWorkspace, Workspace, WorkspaceList, WorkspaceMemberList } from '#domain/records/workspace.ts';
import { Secret } from '#security/secret.ts';
import { openOwnApi, type OwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { apiClient, freshClient } from '#test/support/harness/api-client.ts';

const ADMIN_TOKEN = 'the-administrator-token-of-this-test-only';
const ABSENT = '0198c0de-0000-7000-8000-00000000000c';

type Operator = OwnApi & { create(name: string, headers?: Record<string, string>): Promise<CreatedWorkspace> };

async function openAsOperator(t: ExecutionContext): Promise<Operator> {
  const api = await openOwnApi(t, { access: { users: null, administratorToken: new Secret(ADMIN_TOKEN) } });
  return {
    ...api,
    create: async (name, headers = {}) => {
      const answer = await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name }, headers });
      if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return CreatedWorkspace.parse(answer.body);
    },
  };
}

test('the operator of the running service creates a workspace whose first key works immediately', async (t) => {
  const operator = apiClient(null);
  const headers = { Authorization: `Bearer ${testStack().adminToken}` };
  const { api_key: key, ...workspace } = await operator.post('/workspaces', CreatedWorkspace, {
    headers,
    json: { name: 'Support' },
    status: 201,
  });
  t.is(workspace.name, 'Support');
  t.like(key, { workspace_id: workspace.id, permissions: ['*'], status: 'active', created_by: 'administrator' });
  const client = apiClient(key.secret);
  t.is((await client.createCollection('first')).workspace_id, workspace.id);
  t.deepEqual(await client.get(`/workspaces/${workspace.id}`, Workspace), workspace);
});

test('only the administrator token creates workspaces, and it is not accepted on other routes', async (t) => {
  const api = await openAsOperator(t);
  const { api_key: key, id } = await api.create('one');
  const post = async (token: string | undefined) =>
    (await api.send('/workspaces', { method: 'POST', json: { name: 'x' }, ...(token === undefined ? {} : { token }) }))
      .status;
  t.is(await post(undefined), 401);
  t.is(await post(`${ADMIN_TOKEN}x`), 401);
  t.is(await post(key.secret ?? ''), 403);
  t.is(
    (await api.send('/workspaces', { method: 'POST', json: { name: 'x' }, headers: { 'X-API-Key': ADMIN_TOKEN } }))
      .status,
    401,
  );
  for (const path of ['/collections', '/api-keys', '/chunks']) {
    t.is((await api.send(path, { token: ADMIN_TOKEN })).status, 401, path);
    t.is((await api.send(path, { token: ADMIN_TOKEN, workspaceId: id })).status, 401, path);
  }
  const without = await openOwnApi(t);
  t.is((await without.send('/workspaces', { token: ADMIN_TOKEN })).status, 401);
});

test('the operator creates a key for a workspace that has no active key', async (t) => {
  const api = await openAsOperator(t);
  const { api_key: key, id } = await api.create('locked out');
  const token = key.secret ?? '';
  t.is((await api.send(`/api-keys/${key.id}`, { method: 'DELETE', token })).status, 204);
  t.is((await api.send('/collections', { token })).status, 401);
  const json = { permissions: ['*'] };
  const made = await api.send(`/workspaces/${id}/api-keys`, { method: 'POST', json, token: ADMIN_TOKEN });
  t.is(made.status, 201);
  const back = ApiKey.parse(made.body);
  t.like(back, { workspace_id: id, created_by: 'administrator', permissions: ['*'] });
  t.is((await api.send('/collections', { token: back.secret ?? '' })).status, 200);
  const nowhere = await api.send(`/workspaces/${ABSENT}/api-keys`, { method: 'POST', json, token: ADMIN_TOKEN });
  t.is(nowhere.status, 404);
});

test('the operator lists and changes every workspace, a key only its own', async (t) => {
  const api = await openAsOperator(t);
  const [one, other] = [await api.create('one'), await api.create('other')];
  const list = async (token: string, query = '') =>
    WorkspaceList.parse((await api.send(`/workspaces${query}`, { token })).body);
  const names = ({ data }: WorkspaceList) => data.map(({ name }) => name);
  t.deepEqual(names(await list(ADMIN_TOKEN)), ['one', 'other']);
  const first = await list(ADMIN_TOKEN, '?limit=1');
  t.like(first, { total_count: 2, has_more: true });
  t.deepEqual(names(await list(ADMIN_TOKEN, `?limit=1&cursor=${first.next_cursor}`)), ['other']);
  const token = one.api_key.secret ?? '';
  t.deepEqual(names(await list(token)), ['one']);
  const rename = (id: string, as: string) =>
    api.send(`/workspaces/${id}`, { method: 'PATCH', token: as, json: { name: 'renamed' } });
  t.is((await rename(other.id, token)).status, 404);
  t.is((await rename(one.id, token)).status, 200);
  t.is((await rename(other.id, ADMIN_TOKEN)).status, 200);
  t.is((await rename(ABSENT, ADMIN_TOKEN)).status, 404);
  t.deepEqual(names(await list(ADMIN_TOKEN)), ['renamed', 'renamed']);
});

test('a workspace of someone else answers 404, like an unknown one', async (t) => {
  const owner = await freshClient();
  const foreign = (await freshClient()).workspaceId;
  for (const sent of [{}, { method: 'PATCH', json: { name: 'x' } }]) {
    for (const path of ['', '/members']) {
      if (path !== '' && 'method' in sent) continue;
      const [one, two] = [
        await owner.fail(`/workspaces/${foreign}${path}`, sent),
        await owner.fail(`/workspaces/${ABSENT}${path}`, sent),
      ];
      t.is(one.status, 404);
      t.deepEqual({ ...one.body, request_id: '' }, { ...two.body, request_id: '' });
    }
  }
});

test('the same Idempotency-Key creates one workspace and returns the same secret again', async (t) => {
  const api = await openAsOperator(t);
  const headers = { 'Idempotency-Key': 'workspace-1' };
  const [first, again] = [await api.create('one', headers), await api.create('one', headers)];
  t.deepEqual(again, first);
  const other = await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name: 'two' }, headers });
  t.is(other.status, 422);
  t.like(other.body, { code: 'idempotency_mismatch' });
  t.is(WorkspaceList.parse((await api.send('/workspaces', { token: ADMIN_TOKEN })).body).total_count, 1);
  await api.database.raw(`update idempotency_keys set expires_at = now() - interval '1 second'`);
  const late = await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name: 'two' }, headers });
  t.is(late.status, 409);
});

test('an Idempotency-Key whose workspace is being deleted answers 409', async (t) => {
  const api = await openAsOperator(t);
  const headers = { 'Idempotency-Key': 'workspace-2' };
  const { id } = await api.create('one', headers);
  const asOperator = { token: ADMIN_TOKEN, headers };
  t.is((await api.send(`/workspaces/${id}`, { method: 'DELETE', ...asOperator })).status, 202);
  const again = await api.send('/workspaces', { method: 'POST', json: { name: 'one' }, ...asOperator });
  t.is(again.status, 409, JSON.stringify(again.body));
  t.like(again.body, { code: 'conflict' });
});

test('the name of a workspace has 1 to 100 characters', async (t) => {
  const api = await openAsOperator(t);
  const post = async (name: unknown) =>
    (await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name } })).status;
  t.deepEqual(
    [await post(''), await post('n'), await post('n'.repeat(100)), await post('n'.repeat(101)), await post(7)],
    [422, 201, 201, 422, 422],
  );
});

test('members are added, updated, listed and removed', async (t) => {
  const owner = await freshClient();
  const path = `/workspaces/${owner.workspaceId}/members`;
  const add = async (json: unknown) => owner.send(path, { method: 'POST', json });
  t.is((await add({ user_id: 'auth0|ada/b' })).status, 201);
  t.is((await add({ user_id: 'grace', role: 'admin' })).status, 201);
  t.is((await add({ user_id: 'auth0|ada/b', role: 'admin' })).status, 201);
  t.is((await add({ user_id: '', role: 'owner' })).status, 422);
  for (const user_id of ['.', '..']) t.is((await add({ user_id })).status, 422, `${user_id} would change the path`);
  const list = async (query = '') => owner.get(`${path}${query}`, WorkspaceMemberList);
  const first = await list('?limit=1');
  t.like(first, { total_count: 2, has_more: true });
  t.like(first.data[0], { user_id: 'auth0|ada/b', role: 'admin', workspace_id: owner.workspaceId });
  t.like((await list(`?limit=1&cursor=${first.next_cursor}`)).data[0], { user_id: 'grace' });
  const binding = { list: 'members', filters: { workspace: owner.workspaceId } };
  t.is((await owner.send(`${path}?cursor=${encodeCursor(binding, [0, 'a\0'])}`)).status, 422, 'a cursor of no member');
  const remove = async (userId: string) =>
    (await owner.send(`${path}/${encodeURIComponent(userId)}`, { method: 'DELETE' })).status;
  t.deepEqual([await remove('auth0|ada/b'), await remove('auth0|ada/b'), await remove('nobody')], [204, 404, 404]);
  t.deepEqual(
    (await list()).data.map(({ user_id }) => user_id),
    ['grace'],
  );
});

test('a limited key cannot add, change or remove members with more access', async (t) => {
  const owner = await freshClient();
  const path = `/workspaces/${owner.workspaceId}/members`;
  const collection = await owner.createCollection('one');
  const keyOf = async (json: unknown) => {
    const { secret } = await owner.post('/api-keys', z.object({ secret: z.string() }), { json, status: 201 });
    return apiClient(secret);
  };
  await owner.send(path, { method: 'POST', json: { user_id: 'grace', role: 'admin' } });
  const weak = await keyOf({ permissions: ['workspaces:write'] });
  const limited = await keyOf({ permissions: ['*'], collections: [collection.id] });
  for (const client of [weak, limited]) {
    for (const role of ['admin', 'member']) {
      t.is((await client.fail(path, { method: 'POST', json: { user_id: 'ada', role } })).status, 403, role);
      t.is((await client.fail(path, { method: 'POST', json: { user_id: 'grace', role } })).status, 403, role);
    }
    t.is((await client.fail(`${path}/grace`, { method: 'DELETE' })).status, 403);
  }
  t.is((await owner.get(path, WorkspaceMemberList)).total_count, 1);
});

test('a key with an expiry or an IP whitelist cannot add or change members', async (t) => {
  const owner = await freshClient();
  const path = `/workspaces/${owner.workspaceId}/members`;
  await owner.send(path, { method: 'POST', json: { user_id: 'grace' } });
  for (const limit of [{ expires_at: '2999-01-01T00:00:00Z' }, { ip_whitelist: ['127.0.0.0/8', '::1'] }]) {
    const json = { permissions: ['*'], ...limit };
    const { secret } = await owner.post('/api-keys', z.object({ secret: z.string() }), { json, status: 201 });
    const bound = apiClient(secret);
    for (const user_id of ['ada', 'grace'])
      t.is((await bound.fail(path, { method: 'POST', json: { user_id, role: 'admin' } })).status, 403);
  }
  const { data } = await owner.get(path, WorkspaceMemberList);
  t.deepEqual(
    data.map(({ user_id, role }) => [user_id, role]),
    [['grace', 'member']],
  );
});

test('workspaces are isolated from each other', async (t) => {
  const api = await openAsOperator(t);
  const [one, other] = [await api.create('one'), await api.create('other')];
  const token = other.api_key.secret ?? '';
  await api.send('/collections', { method: 'POST', token: one.api_key.secret ?? '', json: { name: 'of one' } });
  t.is(CollectionList.parse((await api.send('/collections', { token })).body).total_count, 0);
  t.is(ApiKeyList.parse((await api.send('/api-keys', { token })).body).total_count, 1);
  t.is((await api.send('/collections', { token, workspaceId: one.id })).status, 404);
});
