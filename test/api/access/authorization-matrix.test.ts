import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { routes } from '#api/routes/index.ts';
import { KNOWN_PERMISSIONS } from '#domain/access/caller.ts';
import { generateApiKey } from '#security/api-key.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { createKey } from '#test/support/harness/api-client.ts';
import {
  sendRequest,
  guardedRoutes,
  requestIn,
  comparable,
  successOf,
  differencesFromAbsent,
} from './matrix-requests.ts';
import { BEHIND_COLLECTIONS, createWorld, type World } from './matrix-world.ts';
import { idFieldsOf, placesOf } from './request-template.ts';
import { routeFixtures } from './route-fixtures.ts';

/** Routes for any valid credentials, whatever they permit: a caller learns there what it may do, and gives its own key back. */
const ROUTES_WITHOUT_PERMISSION = ['getCurrentCaller', 'signOut'];

/**
 * Public routes: the OAuth callback, which is protected by its state, signing in, whose code is the credential, how to sign in, the models of a provider, which are public by
 * specification, and the health routes.
 */
const PUBLIC_ROUTES = [
  'authorizationCallback',
  'getSignInMethods',
  'listProviderModels',
  'livez',
  'metrics',
  'readyz',
  'signIn',
];

const Status = z.object({ status: z.string() });

test('every authenticated route has a fixture, and only the known routes are public', (t) => {
  const wanting = Object.keys(routes).filter((name) => routes[name]?.permission !== null);
  t.deepEqual(
    wanting.filter((name) => !(name in routeFixtures)),
    [],
    'add these to route-fixtures.ts',
  );
  t.deepEqual(
    Object.keys(routeFixtures).filter((name) => !wanting.includes(name)),
    [],
    'remove these from route-fixtures.ts',
  );
  t.deepEqual(
    Object.keys(routes)
      .filter((name) => routes[name]?.permission === null)
      .toSorted(),
    PUBLIC_ROUTES,
  );
});

test('only the known routes need no permission, and a key without any may call them', async (t) => {
  const named = Object.keys(routes).filter((name) => routes[name]?.permission === 'authenticated');
  t.deepEqual(named.toSorted(), ROUTES_WITHOUT_PERMISSION);
  const world = await createWorld();
  const { key } = await createKey({ workspaceId: world.client.workspaceId, permissions: [] });
  for (const one of guardedRoutes.filter(({ name }) => named.includes(name))) {
    const { status, text } = await sendRequest(key, await requestIn(world, one));
    t.is(status, successOf(one), text);
  }
});

test('the fixtures of a route cover every id parameter it accepts', (t) => {
  const missing = Object.entries(routes).flatMap(([routeName, route]) => {
    const places = guardedRoutes.filter(({ name }) => name === routeName).flatMap(({ fixture }) => placesOf(fixture));
    const named = new Set(places.map(({ name }) => name.replaceAll(/\.\d+(?=\.|$)/g, '.*')));
    const inPath = Object.keys(route.params?.shape ?? {}).map((name) => `path.${name}`);
    const taken = route.permission === null ? [] : [...new Set([...inPath, ...idFieldsOf(route)])];
    return taken.filter((field) => !named.has(field)).map((field) => `${routeName}: ${field}`);
  });
  t.deepEqual(
    missing,
    [],
    'add each of these places to the fixture of its route in route-fixtures.ts, as an id: `ref(kind)`',
  );
});

test('missing, malformed, unknown, expired and revoked keys answer 401 on every route', async (t) => {
  const world = await createWorld();
  const { workspaceId } = world.client;
  const expired = await createKey({ workspaceId, isExpired: true });
  const revoked = await createKey({ workspaceId, isRevoked: true });
  const unknown = generateApiKey().secret;
  const bad = { none: null, malformed: 'nonsense', unknown, expired: expired.key, revoked: revoked.key };
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const request = await requestIn(world, one);
    for (const [what, key] of Object.entries(bad)) {
      const { status, text } = await sendRequest(key, request);
      if (status !== 401 || !text.startsWith('{"code":"unauthorized",')) wrong.push(`${one.name}, ${what}: ${text}`);
    }
  }
  t.deepEqual(wrong, []);
});

test('a key used from an address outside its IP whitelist answers 403 on every route', async (t) => {
  const world = await createWorld();
  const ipWhitelist = ['203.0.113.0/24', '2001:db8::/32'];
  const { key } = await createKey({ workspaceId: world.client.workspaceId, ipWhitelist });
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const { status, text } = await sendRequest(key, await requestIn(world, one));
    if (status !== 403 || !text.includes('address')) wrong.push(`${one.name}: ${text}`);
  }
  t.deepEqual(wrong, []);
});

test('every route answers 403 without its permission, even with all the other permissions', async (t) => {
  const world = await createWorld();
  const keys = new Map<string, string>();
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const permission = one.route.permission ?? '';
    if (permission === 'authenticated') continue;
    const permissions = KNOWN_PERMISSIONS.filter((known) => known !== permission && known !== '*');
    const key = keys.get(permission) ?? (await createKey({ workspaceId: world.client.workspaceId, permissions })).key;
    keys.set(permission, key);
    const { status, text } = await sendRequest(key, await requestIn(world, one));
    if (status !== 403 || !text.includes(permission)) wrong.push(`${one.name}: ${text}`);
  }
  t.deepEqual(wrong, []);
});

test('another workspace in X-Workspace-Id answers 404 like an unknown one, on every route', async (t) => {
  const [world, foreign] = [await createWorld(), await createWorld()];
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const request = await requestIn(world, one);
    const to = async (id: string) => comparable(await sendRequest(world.client.key, request, { 'X-Workspace-Id': id }));
    const answers = [await to(foreign.client.workspaceId), await to(randomUUID()), await to('nonsense')];
    if (answers[0]?.status !== 404 || new Set(answers.map((answer) => answer.text)).size > 1) {
      wrong.push(`${one.name}: ${JSON.stringify(answers)}`);
    }
  }
  t.deepEqual(wrong, []);
});

test('resources of another workspace answer like unknown ids, wherever their id is sent', async (t) => {
  const [world, foreign] = [await createWorld(), await createWorld()];
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    for (const place of placesOf(one.fixture)) {
      const expected = one.fixture.outOfReach?.[place.name] ?? 404;
      const id = await foreign.idOf(place.kind);
      wrong.push(...(await differencesFromAbsent({ one, place, world, key: world.client.key, id, expected })));
    }
  }
  t.deepEqual(wrong, []);
  await assertUntouched(t, foreign);
});

test('a limited key sees resources outside its collections as unknown ids, and never in a list', async (t) => {
  const world = await createWorld();
  const own = await world.client.createCollection('the only one in reach');
  const keyIn = async ({ client }: World) =>
    (await createKey({ workspaceId: client.workspaceId, collections: [own.id] })).key;
  const key = await keyIn(world);
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const { limited, outOfReach, administrator, destroys } = one.fixture;
    const hidden = placesOf(one.fixture).filter(({ kind }) => BEHIND_COLLECTIONS.has(kind));
    for (const place of hidden) {
      const expected = limited ?? outOfReach?.[place.name] ?? 404;
      const id = await world.idOf(place.kind);
      wrong.push(...(await differencesFromAbsent({ one, place, world, key, id, expected })));
    }
    if (hidden.length > 0 || administrator === true) continue;
    const spent = destroys === true ? await createWorld() : world;
    const answer = await sendRequest(spent === world ? key : await keyIn(spent), await requestIn(spent, one));
    if (answer.status !== (limited ?? successOf(one))) wrong.push(`${one.name}: ${answer.text}`);
    for (const kind of BEHIND_COLLECTIONS) {
      if (answer.text.includes(await world.idOf(kind))) wrong.push(`${one.name} shows a ${kind}`);
    }
  }
  t.deepEqual(wrong, []);
});

test('the request of every fixture succeeds with full permissions', async (t) => {
  const world = await createWorld();
  const asOperator = { Authorization: `Bearer ${testStack().adminToken}` };
  const wrong: string[] = [];
  for (const one of guardedRoutes) {
    const owner = one.fixture.destroys === true ? await createWorld() : world;
    const request = await requestIn(owner, one);
    const isOperators = one.fixture.administrator === true;
    const answer = await (isOperators
      ? sendRequest(null, request, asOperator)
      : sendRequest(owner.client.key, request));
    if (answer.status !== successOf(one)) wrong.push(`${one.name}: ${answer.status} ${answer.text}`);
    if (isOperators && (await sendRequest(owner.client.key, request)).status !== 403)
      wrong.push(`${one.name} by a key`);
  }
  t.deepEqual(wrong, []);
});

/** Asserts that the requests of a stranger have changed nothing. */
async function assertUntouched(t: ExecutionContext, world: World): Promise<void> {
  const paths = [
    `/collections/${await world.idOf('collection')}`,
    `/contents/${await world.idOf('content')}`,
    `/chunks/${await world.idOf('chunk')}`,
    `/memories/${await world.idOf('memory')}`,
    `/api-keys/${await world.idOf('apiKey')}`,
  ];
  for (const path of paths) t.is((await world.client.send(path)).status, 200, path);
  const { status } = await world.client.get(`/api-keys/${await world.idOf('apiKey')}`, Status);
  t.is(status, 'active');
}
