import { randomUUID } from 'node:crypto';
import test from 'ava';
import { KNOWN_PERMISSIONS } from '#domain/access/caller.ts';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { issueUserToken, userHeaders } from '#test/support/fixtures/user-token.ts';

const me = (credentials: Parameters<typeof apiClient>[0]) => apiClient(credentials).get('/me', CurrentCaller);
const idsOf = (...collections: { id: string }[]) => collections.map(({ id }) => id);

test('a key without any permission learns that it has none, and one with * gets all of them by name', async (t) => {
  const { key, workspaceId } = await createKey({ permissions: [] });
  const unlimited = { user_id: null, workspace_id: workspaceId, collections: null, writable_collections: null };
  const nothing = await me(key);
  t.like(nothing, { ...unlimited, workspace_ids: [workspaceId], permissions: [] });
  t.like(nothing.api_key, { label: 'a test', expires_at: null });
  t.regex(nothing.principal, /^api-key\//);
  t.deepEqual((await me((await createKey()).key)).permissions, [...KNOWN_PERMISSIONS]);
  const some = ['contents:read', 'connections:reveal'];
  t.deepEqual((await me((await createKey({ permissions: some })).key)).permissions, some);
});

test('a key limited to collections reads and changes these, as long as they exist', async (t) => {
  const all = await createKey();
  const client = apiClient(all.key);
  const [mine, gone] = [await client.createCollection('mine'), await client.createCollection('gone')];
  await client.createCollection('of others');
  const { key } = await createKey({ workspaceId: all.workspaceId, collections: idsOf(mine, gone) });
  t.like(await me(key), { collections: idsOf(mine, gone), writable_collections: idsOf(mine, gone) });
  t.is((await client.send(`/collections/${gone.id}`, { method: 'DELETE' })).status, 202);
  t.like(await me(key), { collections: idsOf(mine), writable_collections: idsOf(mine) });
});

test('a member reads public collections and changes its own; an admin has no limits', async (t) => {
  const { key, workspaceId } = await createKey();
  const [ada, bob] = [`ada-${randomUUID()}`, `bob-${randomUUID()}`];
  const headers = await userHeaders(ada, 'member', workspaceId);
  const open = await apiClient(key).createCollection('open');
  await apiClient(key).send(`/collections/${open.id}`, { method: 'PATCH', json: { visibility: 'public' } });
  await apiClient(key).createCollection('hidden');
  const mine = await apiClient(headers).createCollection('mine');
  const member = await me(headers);
  t.like(member, { principal: `user/${ada}`, user_id: ada, workspace_id: workspaceId, api_key: null });
  t.like(member, { collections: idsOf(open, mine), writable_collections: idsOf(mine) });
  t.true(member.permissions.includes('contents:write'));
  t.false(member.permissions.includes('api-keys:read'));
  const admin = await me(await userHeaders(bob, 'admin', workspaceId));
  t.like(admin, { collections: null, writable_collections: null, permissions: [...KNOWN_PERMISSIONS] });
});

test('a user of several workspaces who names none learns which there are, and may do nothing yet', async (t) => {
  const [one, other] = [await createKey(), await createKey()];
  const workspaces = { [one.workspaceId]: 'admin', [other.workspaceId]: 'member' } as const;
  const token = await issueUserToken(`ada-${randomUUID()}`, { workspaces });
  const unnamed = await me({ Authorization: `Bearer ${token}` });
  t.like(unnamed, { workspace_id: null, permissions: [], collections: [], writable_collections: [] });
  t.deepEqual(unnamed.workspace_ids, [one.workspaceId, other.workspaceId]);
  const named = await me({ Authorization: `Bearer ${token}`, 'X-Workspace-Id': one.workspaceId });
  t.like(named, { workspace_id: one.workspaceId, permissions: [...KNOWN_PERMISSIONS], collections: null });
});
