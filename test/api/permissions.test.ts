import { randomUUID } from 'node:crypto';
import test from 'ava';
import { fullPath } from '../../api/http/mount.ts';
import type { Route } from '../../api/http/route.ts';
import { routes } from '../../api/routes/index.ts';
import { PERMISSIONED_RESOURCES } from '../../domain/caller.ts';
import { testStack } from '../support/stack.ts';
import { apiClient, createKey, formFor, freshClient } from './api-client.ts';
import type { ApiClient, Sent } from './api-client.ts';

/** What exists in one workspace, for routes to name. */
type Existing = Readonly<Record<string, string>>;

const guarded = Object.entries(routes).filter(([, route]) => route.permission !== null);
const everything = PERMISSIONED_RESOURCES.flatMap((resource) =>
  (['read', 'write', 'delete'] as const).map((action) => `${resource}:${action}` as const),
);

async function makeOneOfEach(client: ApiClient): Promise<Existing> {
  const { id: collection_id } = await client.createCollection('one of each');
  const { uploads, upload_id } = await client.upload(collection_id, [['content', 'a text to be found']]);
  const content_id = uploads[0]?.content_id ?? '';
  return { collection_id, content_id, upload_id: upload_id ?? '', chunk_id: randomUUID(), deletion_id: randomUUID() };
}

/** A request to a route that names what exists and is valid in all else. */
function requestFor(route: Route, existing: Existing): { path: string; sent: Sent } {
  const path = fullPath(route).replace(/\{(\w+)\}/g, (_, name: string) => existing[name] ?? name);
  const query =
    route.query !== undefined && 'collection_id' in route.query.shape
      ? `?collection_id=${existing['collection_id']}`
      : '';
  const method = route.method.toUpperCase();
  if (route.form !== undefined)
    return { path, sent: { method, body: formFor(existing['collection_id'] ?? '', [['content', 'x']]) } };
  if (route.body === undefined) return { path: path + query, sent: { method } };
  const { collection_id, content_id } = existing;
  if (route.path === '/collections/search') return { path, sent: { method, json: { query: 'text', collection_id } } };
  if (route.path === '/chunks/create') return { path, sent: { method, json: { content_id } } };
  return { path, sent: { method, json: { name: 'another' } } };
}

test('no route but those of the process answers without a key', async (t) => {
  const anonymous = apiClient(null, '');
  const existing = await makeOneOfEach(await freshClient());
  for (const [name, route] of guarded) {
    const { path, sent } = requestFor(route, existing);
    const { status, code } = await anonymous.fail(path, sent);
    t.is(status, 401, name);
    t.is(code, 'unauthorized', name);
  }
  t.deepEqual(
    Object.values(routes).flatMap((route) => (route.permission === null ? [route.path] : [])),
    ['/livez', '/readyz', '/metrics'],
  );
});

test('a route wants its permission, and that of no other route is enough', async (t) => {
  const owner = await freshClient();
  const existing = await makeOneOfEach(owner);
  for (const [name, route] of guarded) {
    const permissions = everything.filter((permission) => permission !== route.permission);
    const { key } = await createKey({ workspaceId: owner.workspaceId, permissions });
    const { path, sent } = requestFor(route, existing);
    const { status, code, body } = await apiClient(key, '').fail(path, sent);
    t.is(status, 403, name);
    t.is(code, 'forbidden', name);
    t.true(typeof body.detail === 'string' && body.detail.includes(route.permission ?? '-'), name);
  }
});

/** Answers to callers who do not reach what they name: absent (404), not accessible (403 on upload), or lists of nothing. */
const OUT_OF_REACH: Readonly<Record<string, number>> = {
  uploadContent: 403,
  listCollections: 200,
  createCollection: 201,
};

test('what belongs to another workspace is as absent, on every route', async (t) => {
  const existing = await makeOneOfEach(await freshClient());
  const stranger = apiClient((await freshClient()).key, '');
  for (const [name, route] of guarded) {
    const { path, sent } = requestFor(route, existing);
    const foreign = await stranger.send(path, sent);
    const text = await foreign.text();
    t.false(text.includes('a text to be found'), name);
    if (route.query !== undefined && route.params === undefined) {
      t.false(text.includes(existing['collection_id'] ?? '') && foreign.status === 200, name);
      continue;
    }
    t.is(foreign.status, OUT_OF_REACH[name] ?? 404, name);
    const absent = requestFor(route, Object.fromEntries(Object.keys(existing).map((key) => [key, randomUUID()])));
    t.is((await stranger.send(absent.path, absent.sent)).status, foreign.status, `${name}, absent`);
  }
});

test('a key limited to other collections reaches nothing of this one', async (t) => {
  const owner = await freshClient();
  const existing = await makeOneOfEach(owner);
  const other = await owner.createCollection('the only one it reaches');
  const { key } = await createKey({ workspaceId: owner.workspaceId, collections: [other.id] });
  const limited = apiClient(key, '');
  const refused: Record<string, number> = { ...OUT_OF_REACH, createCollection: 403 };
  for (const [name, route] of guarded) {
    const { path, sent } = requestFor(route, existing);
    const answer = await limited.send(path, sent);
    const text = await answer.text();
    t.false(text.includes('a text to be found') || text.includes('one of each'), name);
    if (route.query === undefined || route.params !== undefined) t.is(answer.status, refused[name] ?? 404, name);
  }
  t.is((await limited.send(`/api/v1/collections/${other.id}`)).status, 200);
});

test('who may not ask learns nothing about what they sent', async (t) => {
  const { key } = await createKey({ workspaceId: testStack().workspaceId, permissions: [] });
  const client = apiClient(key);
  const headers = { 'Content-Type': 'text/plain' };
  t.is((await client.fail('/collections', { method: 'POST', body: 'nonsense', headers })).status, 403);
  t.is((await client.fail('/chunks?limit=nonsense')).status, 403);
  t.is((await client.fail('/upload', { method: 'POST', body: 'nonsense', headers })).status, 403);
});
