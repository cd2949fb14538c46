import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { ApiKey } from '#domain/records/api-key.ts';
import { Collection, CollectionList } from '#domain/records/collection.ts';
import { WorkspaceList } from '#domain/records/workspace.ts';
import type { WorkspaceRole } from '#domain/access/workspace-roles.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { openOwnApi, type OwnSent } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';

const CLAIM = 'https://loci.example/workspaces';

/** An API that accepts tokens, with two workspaces. */
async function openWithUsers(t: ExecutionContext) {
  const issuer = await openTokenIssuer(t);
  const verifier = createBearerTokenVerifier({
    keys: { jwksUrl: issuer.jwksUrl },
    issuer: issuer.issuer,
    audience: AUDIENCE,
  });
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: CLAIM }, administratorToken: null },
  });
  const { system } = api.services.stores;
  const [one, other] = [await system.insertWorkspace('one'), await system.insertWorkspace('other')];
  const member = async (scope: string, userId: string, role: WorkspaceRole) =>
    api.services.stores.members.put({ workspaceId: scope, collectionIds: null }, { userId, role, createdBy: 'a test' });
  /** Sends requests as a user whose token has this workspaces claim. */
  const as =
    (sub: string, claim?: unknown) =>
    async (path: string, sent: OwnSent = {}) =>
      api.send(path, { ...sent, token: await issuer.issue({ sub, [CLAIM]: claim }) });
  return { api, one, other, as, member };
}

type Send = ReturnType<Awaited<ReturnType<typeof openWithUsers>>['as']>;

async function create(send: Send, visibility: 'public' | 'private', name: string = visibility): Promise<Collection> {
  const json = { name, visibility, embedding: { provider: 'lexical' } };
  const answer = await send('/collections', { method: 'POST', json });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return Collection.parse(answer.body);
}

async function namesOf(send: Send): Promise<string[]> {
  const { data } = CollectionList.parse((await send('/collections')).body);
  return data.map(({ name }) => name);
}

test('a member reads public and own collections, and changes only own ones', async (t) => {
  const { one, as, api } = await openWithUsers(t);
  const [admin, ada, bob] = [as('grace', { [one]: 'admin' }), as('ada', [one]), as('bob', one)];
  const [open, hidden] = [await create(admin, 'public', 'open'), await create(admin, 'private', 'hidden')];
  const mine = await create(ada, 'private', 'mine');
  t.like(mine, { workspace_id: one, created_by: 'user/ada' });
  t.deepEqual(await namesOf(ada), ['open', 'mine']);
  t.deepEqual(await namesOf(bob), ['open']);
  t.deepEqual(await namesOf(admin), ['open', 'hidden', 'mine']);
  const statuses = async (send: Send, ids: readonly string[]) =>
    Promise.all(
      ids.map(async (id) => {
        const json = { description: 'changed' };
        const [get, patch] = [
          await send(`/collections/${id}`),
          await send(`/collections/${id}`, { method: 'PATCH', json }),
        ];
        return [get.status, patch.status];
      }),
    );
  const ids = [open.id, hidden.id, mine.id];
  t.deepEqual(await statuses(ada, ids), [
    [200, 404],
    [404, 404],
    [200, 200],
  ]);
  t.deepEqual(await statuses(bob, ids), [
    [200, 404],
    [404, 404],
    [404, 404],
  ]);
  t.deepEqual(await statuses(admin, ids), [
    [200, 200],
    [200, 200],
    [200, 200],
  ]);
  const child = (parent_id: string) => ada('/collections', { method: 'POST', json: { name: 'child', parent_id } });
  t.deepEqual([(await child(mine.id)).status, (await child(open.id)).status], [201, 404]);
  await api.database.raw(`update collections set visibility = 'private'`);
  t.deepEqual(await namesOf(bob), []);
});

test('a member searches public and own collections, and uploads only into own ones', async (t) => {
  const { one, as } = await openWithUsers(t);
  const [admin, ada] = [as('grace', { [one]: 'admin' }), as('ada', [one])];
  const [open, hidden, mine] = [
    await create(admin, 'public'),
    await create(admin, 'private'),
    await create(ada, 'private'),
  ];
  const search = async (id: string) =>
    (
      await ada('/collections/search', {
        method: 'POST',
        json: { collection_id: id, query: 'otters', search_type: 'keyword' },
      })
    ).status;
  t.deepEqual([await search(open.id), await search(hidden.id), await search(mine.id)], [200, 404, 200]);
  const upload = async (id: string) => {
    const form = formFor(id, [
      ['content', 'otters'],
      ['ingest', 'false'],
    ]);
    return (await ada('/upload', { method: 'POST', form })).status;
  };
  t.deepEqual([await upload(open.id), await upload(hidden.id), await upload(mine.id)], [403, 403, 202]);
});

test('an admin manages keys and the workspace; a member gets 403', async (t) => {
  const { one, as } = await openWithUsers(t);
  const [admin, ada] = [as('grace', { [one]: 'admin' }), as('ada', [one])];
  const asked = [
    ['/api-keys', {}],
    ['/api-keys', { method: 'POST', json: { permissions: ['collections:read'] } }],
    [`/workspaces/${one}`, { method: 'PATCH', json: { name: 'renamed' } }],
    [`/workspaces/${one}/members`, { method: 'POST', json: { user_id: 'ada', role: 'admin' } }],
    [`/workspaces/${one}/members/nobody`, { method: 'DELETE' }],
  ] as const;
  for (const [path, sent] of [...asked, [`/workspaces/${one}`, { method: 'DELETE' }] as const]) {
    t.is((await ada(path, sent)).status, 403, path);
  }
  t.is((await ada(`/workspaces/${one}`)).status, 200);
  const statuses: number[] = [];
  for (const [path, sent] of asked) statuses.push((await admin(path, sent)).status);
  t.deepEqual(statuses, [200, 201, 200, 201, 404]);
  t.is((await ada('/api-keys')).status, 200, 'the admin made her an admin');
  const key = ApiKey.parse((await admin('/api-keys', { method: 'POST', json: { permissions: ['*'] } })).body);
  t.is(key.created_by, 'user/grace');
  const [remove, last] = [{ method: 'DELETE' }, `/workspaces/${one}`];
  t.is((await ada(last, remove)).status, 202, 'she is an admin by now');
  t.is((await admin(last)).status, 404);
  t.is((await as('bob', [one])(last, remove)).status, 404);
});

test('a user of several workspaces has to name one, and can list them', async (t) => {
  const { one, other, as } = await openWithUsers(t);
  const ada = as('ada', { [one]: 'member', [other]: 'admin' });
  const unsaid = await ada('/collections');
  t.is(unsaid.status, 422);
  t.like(unsaid.body, { detail: [{ loc: ['header', 'X-Workspace-Id'], type: 'missing' }] });
  t.is((await ada('/collections', { workspaceId: one })).status, 200);
  t.is((await ada('/api-keys', { workspaceId: one })).status, 403);
  t.is((await ada('/api-keys', { workspaceId: other.toUpperCase() })).status, 200);
  t.deepEqual(
    WorkspaceList.parse((await ada('/workspaces')).body).data.map(({ id }) => id),
    [one, other],
  );
  t.is((await ada(`/workspaces/${other}`)).status, 200, 'the path names the workspace, too');
  t.is((await ada(`/workspaces/${other}`, { workspaceId: one })).status, 404);
});

test('foreign, unknown and malformed workspaces get the same 404', async (t) => {
  const { one, other, as } = await openWithUsers(t);
  const ada = as('ada', [one]);
  const bodies: unknown[] = [];
  for (const workspaceId of [other, randomUUID(), 'nonsense']) {
    const { status, body } = await ada('/collections', { workspaceId });
    t.is(status, 404, workspaceId);
    bodies.push({ ...(body as object), request_id: '' }); // an error body, which is an object
    t.is((await ada(`/workspaces/${workspaceId}`)).status, 404, workspaceId);
  }
  t.deepEqual(bodies[0], bodies[1]);
  t.deepEqual(bodies[0], bodies[2]);
});

test('a user without a workspace gets 403', async (t) => {
  const { as } = await openWithUsers(t);
  for (const claim of [undefined, [], {}, 'nonsense', 7, [randomUUID()], { [randomUUID()]: 'admin' }]) {
    t.is((await as('ada', claim)('/collections')).status, 403, JSON.stringify(claim));
    t.is((await as('ada', claim)('/workspaces')).status, 403, JSON.stringify(claim));
  }
});

test('an unknown role grants no access', async (t) => {
  const { one, as } = await openWithUsers(t);
  for (const role of ['owner', 'Admin', '', '*'])
    t.is((await as('ada', { [one]: role })('/collections')).status, 403, role);
});

test('stored members need no claim, and the higher of two roles applies', async (t) => {
  const { api, one, other, as, member } = await openWithUsers(t);
  await member(one, 'ada', 'member');
  const ada = as('ada');
  t.is((await ada('/collections')).status, 200);
  t.is((await ada('/api-keys')).status, 403);
  t.is((await as('ada', { [one]: 'admin' })('/api-keys')).status, 200);
  await member(one, 'ada', 'admin');
  t.is((await as('ada', { [one]: 'member' })('/api-keys')).status, 200);
  t.is((await as('ada', [other])('/collections')).status, 422, 'claims and stored memberships are combined');
  t.is((await as('Ada')('/collections')).status, 403, 'names are compared exactly');
  await api.services.stores.members.remove({ workspaceId: one, collectionIds: null }, 'ada');
  t.is((await ada('/collections')).status, 403);
});

test('a collection created by an API key is not owned by a user of the same name', async (t) => {
  const { api, one, as } = await openWithUsers(t);
  const ada = as('ada', [one]);
  const mine = await create(ada, 'private', 'mine');
  await api.database.raw(`update collections set created_by = 'api-key/ada' where id = ?`, [mine.id]);
  t.is((await ada(`/collections/${mine.id}`)).status, 404);
});

test('an Idempotency-Key takes effect once per user; the same key of another user is independent', async (t) => {
  const { one, as } = await openWithUsers(t);
  const headers = { 'Idempotency-Key': 'once' };
  const post = async (sub: string) =>
    (await as(sub, [one])('/collections', { method: 'POST', json: { name: 'x' }, headers })).body;
  const [first, again, others] = [await post('ada'), await post('ada'), await post('bob')].map((body) =>
    Collection.parse(body),
  );
  t.deepEqual(again, first);
  t.not(others?.id, first?.id);
});
