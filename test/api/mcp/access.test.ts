import { request as httpRequest } from 'node:http';
import test from 'ava';
import { z } from 'zod';
import { MemoryAnswer } from '#domain/records/memory.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { userHeaders } from '#test/support/fixtures/user-token.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { cutOffCall } from './cut-off-call.ts';
import { openMcpClient } from './mcp-client.ts';
import { ownKey } from './own-key.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';

const as = (key: string) => ({ 'X-API-Key': key });
const READING = ['collections:read', 'contents:read', 'uploads:read', 'memories:read'];

test('a key sees only the tools that it permits, and another one fails with the missing permission', async (t) => {
  const { key } = await createKey({ permissions: READING });
  const mcp = await openMcpClient(t, { headers: as(key) });
  const { tools } = await mcp.client.listTools();
  t.deepEqual(
    tools.map(({ name }) => name),
    ['list_collections', 'search', 'answer', 'list_contents', 'get_content', 'upload_status', 'search_memories'],
  );
  t.true(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  t.like(await mcp.fail('forget_memory', { memory_id: 'x' }), {
    code: 'forbidden',
    detail: 'This key lacks the permission memories:delete.',
  });
  const { key: remembering } = await createKey({ permissions: ['memories:read', 'memories:write', 'memories:delete'] });
  const other = await openMcpClient(t, { headers: as(remembering) });
  t.deepEqual(await other.names(), ['search_memories', 'add_memory', 'update_memory', 'forget_memory']);
  t.is(other.client.getServerCapabilities()?.resources, undefined);
});

test('a foreign collection is an error in the words of the API, with the id of the request', async (t) => {
  const [own, foreign] = [await startFlow(), await startFlow()];
  const [content] = (await foreign.upload(['content', 'Not for others.'])).uploads;
  const mcp = await openMcpClient(t, { headers: as(own.key) });
  const search = { query: 'x', collection_ids: [foreign.collectionId] };
  const expected = await own.api.fail('/collections/search', {
    method: 'POST',
    json: { query: 'x', collection_id: foreign.collectionId },
  });
  const { code, detail } = await mcp.fail('search', search);
  t.deepEqual({ code, detail }, { code: expected.code ?? '', detail: expected.body.detail });
  const text = { collection_id: foreign.collectionId, name: 'x', text: 'x' };
  t.is((await mcp.fail('add_text', text)).code, 'forbidden');
  const upload = await foreign.send(['content', 'Neither.']);
  const memory = await foreign.api.post('/memories', MemoryAnswer, {
    json: { user_id: 'a', memory: 'x' },
    status: 201,
  });
  const { memory_id } = memory;
  const others: [string, Record<string, unknown>][] = [
    ['answer', { question: 'x', collection_ids: [foreign.collectionId] }],
    ['get_content', { content_id: content?.content_id }],
    ['upload_status', { upload_id: upload.upload_id }],
    ['update_memory', { memory_id, user_id: 'a', memory: 'y' }],
    ['forget_memory', { memory_id }],
  ];
  for (const [name, args] of others) t.is((await mcp.fail(name, args)).code, 'not_found', name);
  const url = { collection_id: foreign.collectionId, url: 'https://example.com/' };
  t.is((await mcp.fail('add_url', url)).code, 'forbidden');
  await t.throwsAsync(mcp.client.readResource({ uri: `loci://contents/${content?.content_id}` }), {
    message: /not_found/,
  });
  const listed = await mcp.call('list_contents', z.unknown(), { collection_id: foreign.collectionId });
  t.deepEqual(listed, { contents: [], total_count: 0, total_is_exact: true, next_cursor: null });
  const found = await mcp.call('search_memories', z.unknown(), { retrieval_method: 'last_n' });
  t.deepEqual(found, { memories: [], note: null });
});

test('a key of one collection lists, searches and reads nothing else', async (t) => {
  const flow = await startFlow();
  const other = await flow.api.createCollection('other');
  await flow.upload(['content', 'Opal glows.']);
  await flow.api.upload(other.id, [['content', 'Opal is soft.']]);
  const { key } = await createKey({ workspaceId: flow.workspaceId, permissions: READING, collections: [other.id] });
  const mcp = await openMcpClient(t, { headers: as(key) });
  const { collections } = await mcp.call('list_collections', z.object({ collections: z.array(z.unknown()) }));
  t.is(collections.length, 1);
  t.like(collections, [{ name: 'other' }]);
  const found = await mcp.call('search', z.object({ results: z.array(z.unknown()) }), { query: 'opal' });
  t.is(found.results.length, 1);
  t.like(found.results, [{ text: 'Opal is soft.', collection_name: 'other' }]);
  t.is((await mcp.client.listResources()).resources.length, 1);
});

test('a user reads what is public, and writes only into own collections', async (t) => {
  const flow = await startFlow();
  await flow.api.send(`/collections/${flow.collectionId}`, { method: 'PATCH', json: { visibility: 'public' } });
  await flow.upload(['content', 'Quartz is hard.']);
  const mcp = await openMcpClient(t, { headers: await userHeaders('ada', 'member', flow.workspaceId) });
  t.true((await mcp.names()).includes('add_text'));
  const found = await mcp.call('search', z.object({ results: z.array(z.unknown()) }), { query: 'quartz' });
  t.is(found.results.length, 1);
  const text = { collection_id: flow.collectionId, name: 'x', text: 'x' };
  t.is((await mcp.fail('add_text', text)).code, 'forbidden');
  const memory = await mcp.call('add_memory', z.unknown(), { memory: 'Likes quartz.' });
  t.like(memory, { memory: { user_id: 'ada' } });
});

test('without valid credentials the answer is 401 and says where the metadata of the resource are', async (t) => {
  const issuer = await openTokenIssuer(t);
  const verifier = createBearerTokenVerifier({
    keys: { jwksUrl: issuer.jwksUrl },
    issuer: issuer.issuer,
    audience: AUDIENCE,
  });
  const publicUrl = 'https://loci.example.com/base';
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: 'w' }, administratorToken: null },
    mcp: { hosts: [], publicUrl, issuer: issuer.issuer },
  });
  const own = { Origin: 'https://loci.example.com' };
  const [missing, invalid] = ['', 'error="invalid_token", '];
  const attempts: [Record<string, string>, string][] = [
    [{}, missing],
    [own, missing],
    [{ Authorization: 'Bearer no' }, invalid],
    [as('loci_no'), invalid],
  ];
  for (const [headers, error] of attempts) {
    const response = await fetch(`${api.baseUrl}/mcp`, { method: 'POST', headers });
    t.is(response.status, 401);
    const metadata = 'https://loci.example.com/.well-known/oauth-protected-resource/base/mcp';
    t.is(response.headers.get('WWW-Authenticate'), `Bearer realm="loci", ${error}resource_metadata="${metadata}"`);
    t.like(await response.json(), { code: 'unauthorized', request_id: response.headers.get('X-Request-Id') });
  }
  for (const path of ['', '/mcp', '/base/mcp']) {
    const response = await fetch(`${api.baseUrl}/.well-known/oauth-protected-resource${path}`);
    t.deepEqual(await response.json(), {
      resource: `${publicUrl}/mcp`,
      resource_name: 'Loci',
      bearer_methods_supported: ['header'],
      authorization_servers: [issuer.issuer],
    });
  }
});

test('without an issuer there are no metadata of the resource, and 401 names none', async (t) => {
  const api = await openOwnApi(t);
  const refused = await fetch(`${api.baseUrl}/mcp`, { method: 'POST' });
  t.is(refused.headers.get('WWW-Authenticate'), 'Bearer realm="loci"');
  t.is((await fetch(`${api.baseUrl}/.well-known/oauth-protected-resource/mcp`)).status, 404);
});

test('hosts and origins of others are refused before anything else', async (t) => {
  const { port } = new URL(testStack().baseUrl);
  const { key } = await createKey();
  const statusOf = (headers: Record<string, string>) => statusOfPost(Number(port), { ...as(key), ...headers });
  t.is(await statusOf({ Host: 'evil.example' }), 403);
  t.is(await statusOf({ Host: 'localhost.evil.example:80' }), 403);
  t.is(await statusOf({ Host: `localhost@evil.example` }), 403);
  t.is(await statusOf({ Origin: 'https://evil.example' }), 403);
  t.is(await statusOf({ Origin: 'null' }), 403);
  t.is(await statusOf({ Host: `localhost:${port}`, Origin: `http://localhost:${port}` }), 200);
  t.is(await statusOf({ Host: `[::1]:${port}` }), 200);
  t.is(await statusOf({}), 200);
  t.is((await fetch(`${testStack().baseUrl}/mcp`)).status, 405);
});

test('each message counts against the limit of requests, which is that of the API', async (t) => {
  const api = await openOwnApi(t, { requestLimits: { perCaller: 6, perWorkspace: 0, failuresPerAddress: 0 } });
  const key = await ownKey(api);
  const post = (body: unknown) =>
    fetch(`${api.baseUrl}/mcp`, {
      method: 'POST',
      headers: { ...as(key), 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    });
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const one = await post(ping(1));
  t.is(one.status, 200);
  t.regex(one.headers.get('RateLimit') ?? '', /r=5/);
  t.is((await post([1, 2, 3, 4].map(ping))).status, 200);
  t.is((await api.send('/collections', { headers: as(key) })).status, 200);
  const refused = await post(ping(1));
  t.is(refused.status, 429);
  t.like(await refused.json(), { code: 'rate_limited' });
  t.is((await post('x'.repeat(1024 * 1024))).status, 429);
});

test('a body that is too large or no JSON is refused in the shape of the API', async (t) => {
  const api = apiClient((await createKey()).key, '');
  const send = (body: string, type = 'application/json') =>
    api.fail('/mcp', { method: 'POST', body, headers: { 'Content-Type': type } });
  t.like(await send(`"${'x'.repeat(1024 * 1024)}"`), { status: 413, code: 'payload_too_large' });
  t.like(await send('{'), { status: 422, problems: ['body json_invalid'] });
  t.like(await send('x', 'text/plain'), { status: 415, code: 'unsupported_media_type' });
  const many = Array.from({ length: 21 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  t.like(await send(JSON.stringify(many)), { status: 413 });
});

test('a call ends when its client hangs up', async (t) => {
  const api = await openOwnApi(t);
  const key = await ownKey(api);
  const mcp = await openMcpClient(t, { headers: as(key), baseUrl: api.baseUrl, version: '2026-07-28' });
  await cutOffCall(t, { api, key, mcp });
});

/** The status of a ping with these headers; `fetch` lets nobody choose the host. */
function statusOfPost(port: number, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    headers: { ...types, ...headers },
  });
  sent.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  return promise;
}
