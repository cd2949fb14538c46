import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  MemoryAnswer,
  MemoryDetail,
  MemoryList,
  MemoryVersion,
  RETRIEVAL_METHODS,
  SearchMemoriesResponse,
} from '#domain/records/memory.ts';
import { freshClient, type ApiClient, type Sent } from '#test/support/harness/api-client.ts';

const post = (json: unknown, headers: Record<string, string> = {}): Sent => ({ method: 'POST', json, headers });
const put = (json: unknown): Sent => ({ method: 'PUT', json });
const create = (api: ApiClient, json: Record<string, unknown>) =>
  api.post('/memories', MemoryAnswer, { json: { user_id: 'ada', ...json }, status: 201 });
const search = (api: ApiClient, json: Record<string, unknown>) =>
  api.post('/memories/search', SearchMemoriesResponse, { json });
const texts = (answer: SearchMemoriesResponse) => answer.memories.map(({ memory }) => memory);

test('a key has to send user_id to write a memory, and it must match the owner', async (t) => {
  const api = await freshClient();
  t.deepEqual((await api.fail('/memories', post({ memory: 'x' }))).problems, ['body.user_id missing']);
  const { memory_id } = await create(api, { memory: 'Plays the oboe.' });
  const path = `/memories/${memory_id}`;
  t.deepEqual((await api.fail(path, put({ memory: 'x' }))).problems, ['body.user_id missing']);
  const replacement = { user_id: 'bob', memory: 'x', topics: [], metadata: {} };
  for (const answer of [
    await api.fail(path, put({ user_id: 'bob', memory: 'x' })),
    await api.fail(`${path}/replace`, post(replacement)),
  ]) {
    t.is(answer.status, 403);
    t.is(answer.code, 'forbidden');
  }
  t.is((await api.get(path, MemoryDetail)).version, 1);
});

test('every validation error of a memory and of a search is reported', async (t) => {
  const api = await freshClient();
  const bad = { user_id: '', memory: 7, memory_type: 'secret', topics: ['ok', 1], metadata: [], owner: 'me' };
  t.deepEqual((await api.fail('/memories', post(bad))).problems.sort(), [
    'body.memory invalid_type',
    'body.memory_type invalid_value',
    'body.metadata invalid_type',
    'body.owner unrecognized_keys',
    'body.topics.1 invalid_type',
    'body.user_id too_small',
  ]);
  const { memory_id } = await create(api, { memory: 'x' });
  t.deepEqual((await api.fail(`/memories/${memory_id}/replace`, post({}))).problems.sort(), [
    'body.memory missing',
    'body.metadata missing',
    'body.topics missing',
    'body.user_id missing',
  ]);
  t.deepEqual(
    (await api.fail(`/memories/${memory_id}`, put({ user_id: 'ada', memory: ' ', topics: 'x' }))).problems.sort(),
    ['body.memory custom', 'body.topics invalid_type'],
  );
  const question = { query: 5, user_id: '', limit: 0, retrieval_method: 'psychic', as_of: 'yesterday', filters: {} };
  t.deepEqual((await api.fail('/memories/search', post(question))).problems.sort(), [
    'body.as_of invalid_format',
    'body.filters unrecognized_keys',
    'body.limit too_small',
    'body.query invalid_type',
    'body.retrieval_method invalid_value',
    'body.user_id too_small',
  ]);
  t.deepEqual((await api.fail('/memories/search', post({ query: ' ' }))).problems, ['body.query missing']);
  t.deepEqual((await api.fail(`/memories/${memory_id}?as_of=yesterday`)).problems, ['query.as_of invalid_format']);
});

test('limits are enforced at their boundaries', async (t) => {
  const api = await freshClient();
  const status = async (path: string, sent: Sent = {}) => (await api.send(path, sent)).status;
  for (const [limit, expected] of [
    [0, 422],
    [1, 200],
    [100, 200],
    [101, 422],
  ] as const) {
    t.is(await status('/memories/search', post({ query: 'x', limit })), expected, `limit ${limit}`);
  }
  for (const [limit, expected] of [
    [0, 422],
    [1, 200],
    [1000, 200],
    [1001, 422],
  ] as const) {
    t.is(await status(`/memories?limit=${limit}`), expected, `list limit ${limit}`);
  }
  for (const [length, expected] of [
    [0, 422],
    [1, 201],
    [16_384, 201],
    [16_385, 422],
  ] as const) {
    t.is(
      await status('/memories', post({ user_id: 'ada', memory: 'm'.repeat(length) })),
      expected,
      `text of ${length}`,
    );
  }
  for (const [length, expected] of [
    [255, 201],
    [256, 422],
  ] as const) {
    t.is(await status('/memories', post({ user_id: 'u'.repeat(length), memory: 'm' })), expected, `user of ${length}`);
  }
  t.is(await status('/memories/search', post({ query: 'q'.repeat(8192) })), 200);
  t.is(await status('/memories/search', post({ query: 'q'.repeat(8193) })), 422);
});

test('memories of another workspace answer 404 and are not found', async (t) => {
  const api = await freshClient();
  const stranger = await freshClient();
  const { memory_id } = await create(api, { memory: 'Hides the spare key under the fern.' });
  const whole = { user_id: 'ada', memory: 'x', topics: [], metadata: {} };
  for (const id of [memory_id, randomUUID(), 'nonsense']) {
    for (const [path, sent] of [
      [`/memories/${id}`, {}],
      [`/memories/${id}/history`, {}],
      [`/memories/${id}`, put({ user_id: 'ada' })],
      [`/memories/${id}/replace`, post(whole)],
      [`/memories/${id}`, { method: 'DELETE' }],
    ] as const) {
      const answer = await stranger.fail(path, sent);
      t.is(answer.status, 404, `${sent.method ?? 'GET'} ${path}`);
      t.is(answer.code, 'not_found');
    }
  }
  for (const retrieval_method of RETRIEVAL_METHODS) {
    t.deepEqual(texts(await search(stranger, { query: 'spare key fern', retrieval_method })), []);
  }
  t.is((await stranger.get('/memories', MemoryList)).total_count, 0);
});

test('the same Idempotency-Key creates or replaces a memory once', async (t) => {
  const api = await freshClient();
  const headers = { 'Idempotency-Key': 'memory-1' };
  const sent = post({ user_id: 'ada', memory: 'Said once.' }, headers);
  const [first, again] = [await api.send('/memories', sent), await api.send('/memories', sent)];
  t.deepEqual([first.status, again.status], [201, 201]);
  const { memory_id } = MemoryAnswer.parse(await first.json());
  t.is(MemoryAnswer.parse(await again.json()).memory_id, memory_id);
  const replacement = post(
    { user_id: 'ada', memory: 'Said anew.', topics: [], metadata: {} },
    { 'Idempotency-Key': 'replace-1' },
  );
  for (const _ of [1, 2]) t.is((await api.send(`/memories/${memory_id}/replace`, replacement)).status, 200);
  t.is((await api.get(`/memories/${memory_id}`, MemoryDetail)).version, 2);
  t.is((await api.fail('/memories', post({ user_id: 'ada', memory: 'Other.' }, headers))).code, 'idempotency_mismatch');
});

test('a repeated update with the same Idempotency-Key does not overwrite a change in between', async (t) => {
  const api = await freshClient();
  const { memory_id } = await create(api, { memory: 'Lives in Bergen.' });
  const update = (memory: string, key: string) =>
    api.get(`/memories/${memory_id}`, MemoryAnswer, {
      ...put({ user_id: 'ada', memory }),
      headers: { 'Idempotency-Key': key },
    });
  const first = await update('Lives in Oslo.', 'update-1');
  await update('Lives in Turku.', 'update-2');
  t.deepEqual(await update('Lives in Oslo.', 'update-1'), first);
  t.like(await api.get(`/memories/${memory_id}`, MemoryDetail), { memory: 'Lives in Turku.', version: 3 });
  const other = { method: 'PUT', json: { user_id: 'ada', memory: 'x' }, headers: { 'Idempotency-Key': 'update-1' } };
  t.is((await api.fail(`/memories/${memory_id}`, other)).code, 'idempotency_mismatch');
});

test('an export streams every version of a user as lines of JSON, and needs a user with a key', async (t) => {
  const api = await freshClient();
  const { memory_id } = await create(api, { memory: 'Plays the oboe.' });
  await api.get(`/memories/${memory_id}`, MemoryAnswer, put({ user_id: 'ada', memory: 'Plays the harp.' }));
  await create(api, { memory: 'Rows.', memory_type: 'team' });
  await create(api, { memory: 'Of another user.', user_id: 'bob' });
  const response = await api.send('/memories/export?user_id=ada');
  t.is(response.headers.get('Content-Type'), 'application/x-ndjson');
  const lines = (await response.text()).split('\n');
  t.is(lines.pop(), '');
  const versions = lines.map((line) => MemoryVersion.parse(JSON.parse(line)));
  t.deepEqual(
    versions.map(({ memory, version, valid_to }) => [memory, version, valid_to === null]),
    [
      ['Plays the oboe.', 1, false],
      ['Plays the harp.', 2, true],
      ['Rows.', 1, true],
    ],
  );
  t.is(versions[0]?.valid_to, versions[1]?.valid_from);
  t.is(await (await api.send('/memories/export?user_id=nobody')).text(), '');
  t.deepEqual((await api.fail('/memories/export')).problems, ['query.user_id missing']);
});
