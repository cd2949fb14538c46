import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { z } from 'zod';
import { CollectionList } from '#domain/records/collection.ts';
import { MemoryList } from '#domain/records/memory.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';

const api = apiClient(testStack().apiKey);
const root = apiClient(null, '');
const JSON_TYPE = { 'Content-Type': 'application/json' };

test('an unknown path answers 404 in the error shape, with the request id', async (t) => {
  for (const path of ['/nothing', '/contents/x/y/z', '/%E0%A4%A']) {
    const { status, body, headers } = await api.fail(path);
    t.is(status, 404);
    t.is(body.code, 'not_found');
    t.is(body.request_id ?? '', headers.get('X-Request-Id') ?? 'none');
  }
});

test('a path with a slash at its end is no path, so that a missing id deletes nothing', async (t) => {
  const own = apiClient((await createKey()).key);
  const memory = { user_id: 'ada', memory: 'Lives in Oslo.' };
  t.is((await own.send('/memories', { method: 'POST', json: memory })).status, 201);
  const { status, body } = await own.fail('/memories/?user_id=ada', { method: 'DELETE' });
  t.is(status, 404);
  t.regex(JSON.stringify(body), /do not end with a slash/);
  t.is((await own.get('/memories?user_id=ada', MemoryList)).data.length, 1);
  t.is((await own.fail('/collections/')).status, 404);
});

test('an unsupported method answers 405 with an Allow header', async (t) => {
  const { status, code, headers } = await api.fail('/contents', { method: 'PUT' });
  t.is(status, 405);
  t.is(code, 'method_not_allowed');
  t.is(headers.get('Allow'), 'HEAD, GET');
  const options = await api.send('/contents', { method: 'OPTIONS' });
  t.is(options.status, 200);
  t.is((await api.send('/contents', { method: 'HEAD' })).status, 200);
});

test('missing, malformed and unknown keys answer the same 401, whose WWW-Authenticate says whether one was sent', async (t) => {
  const { secret } = { secret: `loci_${'a'.repeat(12)}_${'b'.repeat(43)}cccccc` };
  const unknown = (await createKey()).key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  // Without credentials of a kind that is supported, nothing is said of an error (RFC 6750, section 3.1).
  const missing: Record<string, string>[] = [{}, { Authorization: `Basic ${testStack().apiKey}` }];
  const invalid: Record<string, string>[] = [
    { 'X-API-Key': 'nonsense' },
    { 'X-API-Key': secret },
    { 'X-API-Key': unknown },
    { Authorization: 'Bearer x.y.z' },
    { 'X-API-Key': 'k'.repeat(10_000) },
  ];
  const anonymous = apiClient(null);
  for (const headers of [...missing, ...invalid]) {
    const answer = await anonymous.fail('/collections', { headers });
    t.is(answer.status, 401);
    t.is(answer.code, 'unauthorized');
    const error = invalid.includes(headers) ? ', error="invalid_token"' : '';
    t.is(answer.headers.get('WWW-Authenticate'), `Bearer realm="loci"${error}`);
  }
});

test('an API key is accepted as a bearer token', async (t) => {
  const headers = { Authorization: `Bearer ${testStack().apiKey}` };
  t.is((await apiClient(null).send('/collections', { headers })).status, 200);
});

test('X-Workspace-Id accepts the workspace of the key; any other answers 404', async (t) => {
  const { workspaceId } = testStack();
  const other = (await createKey()).workspaceId;
  const answer = (id: string) => api.send('/collections', { headers: { 'X-Workspace-Id': id } });
  t.is((await answer(workspaceId)).status, 200);
  t.is((await answer(workspaceId.toUpperCase())).status, 200);
  for (const id of [other, 'nonsense']) t.is((await answer(id)).status, 404);
});

test('a valid X-Request-Id is kept, an invalid one is replaced', async (t) => {
  const idFor = async (id: string) => {
    const response = await root.send('/livez', { headers: { 'X-Request-Id': id } });
    return response.headers.get('X-Request-Id');
  };
  t.is(await idFor('trace-1.2:3'), 'trace-1.2:3');
  for (const id of ['a b', 'x'.repeat(129), '<script>']) t.regex((await idFor(id)) ?? '', /^[0-9a-f-]{36}$/);
});

test('a body that is not a JSON object, or is nested too deeply, answers 422', async (t) => {
  for (const body of ['{"a":', 'null', '"text"', '{"a":1}trailing', "{'a':1}"]) {
    const answer = await api.fail('/collections', { method: 'POST', body, headers: JSON_TYPE });
    t.is(answer.status, 422, body);
    t.deepEqual(answer.problems, ['body json_invalid']);
  }
  const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
  const answer = await api.fail('/collections', { method: 'POST', body: deep, headers: JSON_TYPE });
  t.deepEqual(answer.problems, ['body too_deep']);
  const bottomless = '['.repeat(500_000);
  t.is((await api.fail('/collections', { method: 'POST', body: bottomless, headers: JSON_TYPE })).status, 422);
});

test('a missing body answers 422, and one of another content type answers 415', async (t) => {
  const none = await api.fail('/collections', { method: 'POST' });
  t.is(none.status, 422);
  t.deepEqual(none.problems, ['body missing']);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']) {
    const answer = await api.fail('/collections', { method: 'POST', body: '{}', headers: { 'Content-Type': type } });
    t.is(answer.status, 415, type);
    t.is(answer.code, 'unsupported_media_type');
  }
});

test('a JSON body of more than 1 MiB answers 413, also when it is compressed', async (t) => {
  const limit = 1024 * 1024;
  const bodyOf = (sizeBytes: number) => `{"name":"${'x'.repeat(sizeBytes - 11)}"}`;
  for (const [sizeBytes, status] of [
    [limit - 1, 422],
    [limit, 422],
    [limit + 1, 413],
  ] as const) {
    const body = bodyOf(sizeBytes);
    t.is(body.length, sizeBytes);
    t.is((await api.send('/collections', { method: 'POST', body, headers: JSON_TYPE })).status, status);
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
    const packed = new Uint8Array(gzipSync(body));
    t.is((await api.send('/collections', { method: 'POST', body: packed, headers })).status, status);
  }
  const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
  t.is((await api.fail('/collections', { method: 'POST', body: 'not gzip', headers })).status, 422);
});

test('malformed HTTP answers a plain 400, and oversized headers answer 431', async (t) => {
  const { hostname, port } = new URL(testStack().baseUrl);
  const exchange = async (text: string) => {
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let answer = '';
    socket.on('data', (piece: string) => (answer += piece));
    socket.on('error', () => {});
    socket.write(text);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return answer;
  };
  t.regex(await exchange('\x16\x03\x01 hello\r\n\r\n'), /^HTTP\/1\.1 400 Bad Request\r\n/);
  t.regex(await exchange(`GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
});

test('responses forbid content sniffing, framing and caching', async (t) => {
  const { headers } = await api.send('/collections');
  t.is(headers.get('X-Content-Type-Options'), 'nosniff');
  t.is(headers.get('Cache-Control'), 'no-store');
  t.is(headers.get('X-Frame-Options'), 'DENY');
  t.regex(headers.get('Content-Type') ?? '', /^application\/json/);
});

test('the process serves liveness, readiness and metrics', async (t) => {
  t.deepEqual(await (await root.send('/livez')).json(), { status: 'ok' });
  const ready = await root.get('/readyz', z.object({ status: z.string(), embedder: z.string() }));
  t.is(ready.status, 'ok');
  await api.get('/collections', CollectionList);
  const metrics = await (await root.send('/metrics')).text();
  t.regex(
    metrics,
    /loci_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/collections",status="200"\}/,
  );
});

test('openapi.json is served', async (t) => {
  const document = await root.get(
    '/openapi.json',
    z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
  );
  t.is(document.openapi, '3.1.0');
  t.true('/api/v1/collections/search' in document.paths);
});
