import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { builtClient } from '#test/support/harness/client-package.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { folderOf } from './folders.ts';

const { createLociClient, dataOf, LociError } = await builtClient();

type Answering = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** Starts a server with the given responses that records the requests. */
async function startServer(t: ExecutionContext, answer: Answering) {
  const requests: { at: number; method: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key'];
    requests.push({ at: performance.now(), method: request.method ?? '', key: Array.isArray(key) ? key[0] : key });
    request.resume().on('end', () => answer(request, response, requests.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { baseUrl: `http://127.0.0.1:${port}`, requests };
}

function reply(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function waitFor(response: ServerResponse, seconds: number): ServerResponse {
  return response.setHeader('retry-after', String(seconds));
}

const LIST = { data: [], total_count: 0, next_cursor: null, has_more: false };

test('an upload whose response was lost is sent again and accepted once', async (t) => {
  const { key, collectionId } = await startFlow();
  let lost = 0;
  const loci = createLociClient({
    baseUrl: testStack().baseUrl,
    apiKey: key,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const isUpload = typeof input === 'string' && input.endsWith('/upload');
      if (!isUpload || lost === 2) return response;
      lost += 1;
      await response.body?.cancel();
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    },
  });
  // `keep` accepts the same bytes repeatedly, so only the Idempotency-Key can prevent duplicates.
  const sent = await loci.upload({ collectionId, texts: ['Only once.'], onDuplicate: 'keep' });
  t.is(lost, 2);
  t.is(sent.items.length, 1);
  const query = { collection_id: collectionId };
  t.is((await dataOf(loci.api.GET('/api/v1/contents', { params: { query } }))).total_count, 1);
});

test('429, 503 and idempotency_conflict are retried, not before Retry-After has passed', async (t) => {
  const answers: Answering = (_request, response, count) => {
    if (count === 1) reply(waitFor(response, 1), 429, { code: 'rate_limited', detail: 'Slow down.' });
    else if (count === 2) reply(response, 503, { code: 'dependency_unavailable', detail: 'Away.' });
    else if (count === 3) reply(response, 409, { code: 'idempotency_conflict', detail: 'Runs.' });
    else reply(response, 201, { id: 'x' });
  };
  const { baseUrl, requests } = await startServer(t, answers);
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  await dataOf(loci.api.POST('/api/v1/collections', { body: { name: 'once' } }));
  t.is(requests.length, 4);
  t.is(new Set(requests.map(({ key }) => key)).size, 1);
  t.truthy(requests[0]?.key);
  t.true((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0) >= 990);
});

test('errors that a retry cannot fix, and requests that are not safe to repeat, are not retried', async (t) => {
  const { baseUrl, requests } = await startServer(t, (request, response) => {
    if (request.url?.includes('/contents')) request.socket.destroy();
    else if (request.url?.includes('/memories')) reply(waitFor(response, 86_400), 503, { detail: 'x' });
    else reply(response, request.method === 'GET' ? 500 : 409, { code: 'conflict', detail: 'No.' });
  });
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  const path = { content_id: 'a' };
  await t.throwsAsync(dataOf(loci.api.GET('/api/v1/collections')), { instanceOf: LociError });
  await t.throwsAsync(dataOf(loci.api.POST('/api/v1/collections', { body: { name: 'no' } })));
  await t.throwsAsync(dataOf(loci.api.DELETE('/api/v1/contents/{content_id}', { params: { path } })));
  await t.throwsAsync(dataOf(loci.api.GET('/api/v1/memories')), { instanceOf: LociError });
  t.deepEqual(
    requests.map(({ method }) => method),
    ['GET', 'POST', 'DELETE', 'GET'],
  );
});

test('a truncated response is retried with the same Idempotency-Key', async (t) => {
  const { baseUrl, requests } = await startServer(t, (_request, response, count) => {
    if (count > 1) return reply(response, 201, { id: 'x' });
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  t.like(await dataOf(loci.api.POST('/api/v1/collections', { body: { name: 'once' } })), { id: 'x' });
  t.is(requests.length, 2);
  t.is(new Set(requests.map(({ key }) => key)).size, 1);
});

test('a PUT has an Idempotency-Key, so that its repetition overwrites nothing', async (t) => {
  const { baseUrl, requests } = await startServer(t, (_request, response, count) =>
    count > 1 ? reply(response, 200, {}) : reply(response, 503, { code: 'dependency_unavailable', detail: 'Busy.' }),
  );
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  const params = { path: { memory_id: 'm' } };
  await dataOf(loci.api.PUT('/api/v1/memories/{memory_id}', { params, body: { memory: 'Lives in Oslo.' } }));
  t.deepEqual([requests.length, new Set(requests.map(({ key }) => key)).size], [2, 1]);
  t.regex(String(requests[0]?.key), /^[0-9a-f]{32}$/);
});

test('redirects are not followed, so that the API key stays with its host', async (t) => {
  const other = await startServer(t, (_request, response) => reply(response, 200, LIST));
  const { baseUrl } = await startServer(t, (request, response) =>
    response.writeHead(307, { location: `${other.baseUrl}${request.url}` }).end(),
  );
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  const error = await t.throwsAsync(dataOf(loci.api.GET('/api/v1/collections')), { instanceOf: LociError });
  t.is(error.status, 307);
  t.true(error.detail.includes(other.baseUrl), error.detail);
  await t.throwsAsync(loci.upload({ collectionId: 'c', texts: ['x'] }), { instanceOf: LociError });
  t.is(other.requests.length, 0);
});

test('reads are retried after a broken connection', async (t) => {
  const { baseUrl, requests } = await startServer(t, (request, response, count) =>
    count === 1 ? request.socket.destroy() : reply(response, 200, LIST),
  );
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  t.like(await dataOf(loci.api.GET('/api/v1/collections')), LIST);
  t.is(requests.length, 2);
});

test('an aborted upload throws an AbortError and is not retried', async (t) => {
  const stopping = new AbortController();
  const { baseUrl, requests } = await startServer(t, () => stopping.abort());
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  const upload = loci.upload({ collectionId: 'c', texts: ['x'], signal: stopping.signal });
  await t.throwsAsync(upload, { name: 'AbortError' });
  t.is(requests.length, 1);
});

test('a file that changes while it is being sent fails alone', async (t) => {
  const { key, collectionId } = await startFlow();
  const folder = await folderOf(t, { 'steady.txt': 'Granite stays.', 'restless.txt': 'Lava moves.' });
  const restless = join(folder, 'restless.txt');
  const loci = createLociClient({
    baseUrl: testStack().baseUrl,
    apiKey: key,
    fetch: async (input, init) => {
      // The form has been built by now, and its files are open.
      if (typeof input === 'string') await appendFile(restless, ' Again.');
      return fetch(input, init);
    },
  });
  const sent = await loci.upload({ collectionId, files: [restless, join(folder, 'steady.txt')] });
  t.deepEqual(
    sent.items.map(({ name }) => name),
    ['steady.txt'],
  );
  t.like(sent.failures, [{ input: restless, code: 'unreadable_file' }]);
});

test('an upload adapts to the request limits of the service', async (t) => {
  const own = await openOwnApi(t);
  const { id, secret } = generateApiKey();
  const workspaceId = await own.services.stores.system.insertWorkspace('small');
  const hashedSecret = hashApiKey(secret, own.services.secrets.apiKeyPepper);
  const key = { workspaceId, key: id, hashedSecret, label: 'x', permissions: ['*'], createdBy: 'x' };
  await own.services.stores.system.insertApiKey(key);
  const loci = createLociClient({ baseUrl: own.baseUrl, apiKey: secret });
  const collection = await dataOf(loci.api.POST('/api/v1/collections', { body: { name: 'small' } }));
  const { maxRequestItems, maxFileBytes, maxRequestBytes } = own.services.limits;

  const many = Array.from({ length: maxRequestItems * 3 }, (_, index) => new File([`Item ${index}.`], `${index}.txt`));
  for (const maxItems of [maxRequestItems + 1, many.length]) {
    const sent = await loci.upload({
      collectionId: collection.id,
      files: many,
      maxItems,
      maxBytes: 1e9,
      onDuplicate: 'keep',
    });
    t.deepEqual(sent.failures, []);
    t.is(new Set(sent.items.map(({ input }) => input)).size, many.length);
  }

  const folder = await folderOf(t);
  const large = Array.from({ length: Math.ceil((maxRequestBytes / maxFileBytes) * 1.5) }, (_, i) =>
    join(folder, `${i}.txt`),
  );
  for (const [index, path] of large.entries()) await writeFile(path, `${index} `.repeat(maxFileBytes / 4));
  await writeFile(join(folder, 'too-large.txt'), 'x'.repeat(maxFileBytes + 1));
  const files = [...large, join(folder, 'too-large.txt')];
  const sent = await loci.upload({ collectionId: collection.id, files, maxBytes: 1e9 });
  t.is(sent.items.length, large.length);
  t.like(sent.failures, [{ input: join(folder, 'too-large.txt'), code: 'file_too_large' }]);
});
