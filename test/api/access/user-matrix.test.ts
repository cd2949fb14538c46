import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Permission } from '#domain/access/caller.ts';
import { permissionsOfRole, isLimitedToOwnCollections } from '#domain/access/workspace-roles.ts';
import { userHeaders, issueUserToken, type TokenOptions } from '#test/support/fixtures/user-token.ts';
import {
  sendRequest,
  guardedRoutes,
  requestIn,
  comparable,
  successOf,
  differencesFromAbsent,
  type GuardedRoute,
} from './matrix-requests.ts';
import { BEHIND_COLLECTIONS, createWorld, type Kind, type World } from './matrix-world.ts';
import { placesOf } from './request-template.ts';

/** Kinds that belong to the workspace: every member may refer to them, and only admins manage them. */
const OF_THE_WORKSPACE: ReadonlySet<Kind> = new Set<Kind>(['workspace', 'reindexed', 'apiKey', 'member']);
/** Kinds that only their owner changes, though others may read them. */
const OWNED: ReadonlySet<Kind> = new Set<Kind>(['conversation', 'message', 'memory']);
/** Kinds that only their owner sees. */
const PRIVATE: ReadonlySet<Kind> = new Set<Kind>(['connection', 'compression']);

const kindsOf = ({ fixture }: GuardedRoute) => placesOf(fixture).map(({ kind }) => kind);
const lacksPermission = ({ route }: GuardedRoute) =>
  route.permission !== 'authenticated' && !permissionsOfRole('member').includes(route.permission ?? '');
/** The same request with `user_id` set to the user who sends it. */
const by = (user: string, { fixture, ...one }: GuardedRoute): GuardedRoute => {
  const spoken: unknown = JSON.parse(JSON.stringify(fixture).replaceAll('"user_id":"ada"', `"user_id":"${user}"`));
  // The same fixture except for the user id.
  return { ...one, fixture: spoken as GuardedRoute['fixture'] };
};
const userOf = (name: string) => `${name}-${randomUUID()}`;

/** The expected status when a member refers to a resource that another member shares with the workspace. */
function statusOfShared(one: GuardedRoute): number {
  const permission = (one.route.permission ?? '') as Permission; // only those with one are here
  const kinds = kindsOf(one);
  if (lacksPermission(one)) return 403;
  if (kinds.some((kind) => PRIVATE.has(kind))) return 404;
  if (kinds.some((kind) => BEHIND_COLLECTIONS.has(kind)) && isLimitedToOwnCollections(permission)) {
    return Object.values(one.fixture.outOfReach ?? {})[0] ?? 404;
  }
  const writes = one.fixture.writes === true || !permission.endsWith(':read');
  if (writes && kinds.some((kind) => OWNED.has(kind))) return 403;
  return successOf(one);
}

test('an invalid token answers 401 on every route', async (t) => {
  const world = await createWorld();
  const workspaces = { [world.client.workspaceId]: 'admin' } as const;
  const [now, good] = [Math.floor(Date.now() / 1000), await issueUserToken('ada', { workspaces })];
  const bad: Record<string, TokenOptions> = {
    'of another issuer’s key': { secret: 'another-secret-of-more-than-32-characters' },
    expired: { expiresAt: now - 60 },
    'not valid yet': { notBefore: now + 600 },
    'for another audience': { claims: { aud: 'another' } },
    'of another issuer': { claims: { iss: 'https://elsewhere.test' } },
    'of nobody': { claims: { sub: '' } },
  };
  const tokens = await Promise.all(
    Object.entries(bad).map(
      async ([what, options]) => [what, await issueUserToken('ada', { workspaces, ...options })] as const,
    ),
  );
  const [, payload] = good.split('.');
  tokens.push(['unsigned', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`]);
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const request = await requestIn(world, one);
    for (const [what, token] of tokens) {
      const { status, text } = await sendRequest({ Authorization: `Bearer ${token}` }, request);
      if (status !== 401 || !text.startsWith('{"code":"unauthorized",')) wrong.push(`${one.name}, ${what}: ${text}`);
    }
  }
  t.deepEqual(wrong, []);
  t.is((await sendRequest({ Authorization: `Bearer ${good}` }, { path: '/api/v1/collections', sent: {} })).status, 200);
});

test('a user without a workspace is rejected on every route', async (t) => {
  const world = await createWorld();
  const headers = { Authorization: `Bearer ${await issueUserToken(userOf('nobody'))}` };
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    // A workspace in the path selects the workspace, like the header.
    const expected = one.route.path.includes('{workspace_id}') ? 404 : 403;
    const { status, text } = await sendRequest(headers, await requestIn(world, one));
    if (status !== expected) wrong.push(`${one.name}: ${text}`);
  }
  t.deepEqual(wrong, []);
});

test('a workspace that the user does not belong to answers 404 like an unknown one, on every route', async (t) => {
  const [world, foreign] = [await createWorld(), await createWorld()];
  const wrong: string[] = [];
  for (const role of ['admin', 'member'] as const) {
    const headers = await userHeaders(userOf('eve'), role, foreign.client.workspaceId);
    for (const one of guardedRoutes) {
      const request = await requestIn(world, one);
      const to = async (id: string) => comparable(await sendRequest(headers, request, { 'X-Workspace-Id': id }));
      const answers = [await to(world.client.workspaceId), await to(randomUUID()), await to('nonsense')];
      if (answers[0]?.status !== 404 || new Set(answers.map((answer) => answer.text)).size > 1) {
        wrong.push(`${one.name} by ${role}: ${JSON.stringify(answers)}`);
      }
    }
  }
  t.deepEqual(wrong, []);
});

test('resources of the same user in another workspace answer like unknown ids, wherever their id is sent', async (t) => {
  const ada = userOf('ada');
  const [world, foreign] = [await createWorld({ user: ada }), await createWorld({ user: ada })];
  const key = await userHeaders(ada, 'admin', world.client.workspaceId);
  const wrong: string[] = [];
  for (const one of guardedRoutes.map((each) => by(ada, each))) {
    if (one.fixture.administrator === true) continue;
    for (const place of placesOf(one.fixture)) {
      const expected = one.fixture.outOfReach?.[place.name] ?? 404;
      wrong.push(
        ...(await differencesFromAbsent({ one, place, world, key, id: await foreign.idOf(place.kind), expected })),
      );
    }
  }
  t.deepEqual(wrong, []);
  await assertUntouched(t, foreign);
});

test('private resources of another member answer like unknown ids, and appear in no list', async (t) => {
  const [ada, bob] = [userOf('ada'), userOf('bob')];
  const theirs = await createWorld({ user: ada });
  const world = await createWorld({ user: bob, within: theirs });
  const key = await userHeaders(bob, 'member', world.client.workspaceId);
  const wrong: string[] = [];
  for (const one of guardedRoutes.map((each) => by(bob, each))) {
    const hidden = placesOf(one.fixture).filter(({ kind }) => !OF_THE_WORKSPACE.has(kind));
    for (const place of hidden) {
      const expected = lacksPermission(one) ? 403 : (one.fixture.outOfReach?.[place.name] ?? 404);
      wrong.push(
        ...(await differencesFromAbsent({ one, place, world, key, id: await theirs.idOf(place.kind), expected })),
      );
    }
    if (hidden.length > 0) continue;
    const answer = await sendRequest(key, await requestIn(world, one));
    if (answer.status !== (lacksPermission(one) ? 403 : successOf(one))) wrong.push(`${one.name}: ${answer.text}`);
    for (const kind of [...BEHIND_COLLECTIONS, ...OWNED, ...PRIVATE]) {
      if (answer.text.includes(await theirs.idOf(kind))) wrong.push(`${one.name} shows a ${kind}`);
    }
  }
  t.deepEqual(wrong, []);
  await assertUntouched(t, theirs);
});

test('shared resources are readable by all members, and writable by their owner only', async (t) => {
  const [ada, bob] = [userOf('ada'), userOf('bob')];
  const theirs = await createWorld({ user: ada, isShared: true });
  const key = await userHeaders(bob, 'member', theirs.client.workspaceId);
  const wrong: string[] = [];
  const counted = { read: 0, refused: 0 };
  for (const one of guardedRoutes.map((each) => by(bob, each))) {
    if (kindsOf(one).length === 0) continue;
    const expected = statusOfShared(one);
    const { status, text } = await sendRequest(key, await requestIn(theirs, one));
    if (status !== expected) wrong.push(`${one.name}: ${status} instead of ${expected}: ${text}`);
    counted[expected < 300 ? 'read' : 'refused'] += 1;
  }
  t.deepEqual(wrong, []);
  t.true(counted.read > 10 && counted.refused > 20, JSON.stringify(counted));
  await assertUntouched(t, theirs);
});

test('a member can use every route that the role permits on own resources', async (t) => {
  const ada = userOf('ada');
  const world = await createWorld({ user: ada });
  const wrong: string[] = [];
  for (const one of guardedRoutes.map((each) => by(ada, each))) {
    const own = one.fixture.destroys === true ? await createWorld({ user: ada }) : world;
    const key = await userHeaders(ada, 'member', own.client.workspaceId);
    const { status, text } = await sendRequest(key, await requestIn(own, one));
    if (status !== (lacksPermission(one) ? 403 : successOf(one))) wrong.push(`${one.name}: ${status} ${text}`);
  }
  t.deepEqual(wrong, []);
});

/** Asserts that the requests of others have changed nothing. */
async function assertUntouched(t: { is(actual: number, expected: number, message: string): unknown }, world: World) {
  const paths = [
    `/collections/${await world.idOf('collection')}`,
    `/contents/${await world.idOf('content')}`,
    `/memories/${await world.idOf('memory')}`,
    `/conversations/${await world.idOf('conversation')}`,
    `/connections/${await world.idOf('connection')}`,
  ];
  for (const path of paths) t.is((await world.client.send(path)).status, 200, path);
}
