import test from 'ava';
import {
  MemoryAnswer,
  MemoryDetail,
  MemoryHistory,
  MemoryList,
  MemoryRecord,
  ReplaceMemoryAnswer,
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

test('a memory is created with defaults and read back', async (t) => {
  const api = await freshClient();
  const response = await api.send('/memories', post({ user_id: 'ada', memory: 'Prefers tea to coffee.' }));
  t.is(response.status, 201);
  t.is(response.headers.get('Loci-Indexing'), null);
  const body: unknown = await response.json();
  const { memory_id, memory } = MemoryAnswer.parse(body);
  t.deepEqual(body, { memory_id, message: 'Memory created.', memory });
  t.deepEqual(Object.keys(memory).sort(), Object.keys(MemoryRecord.shape).sort());
  t.like(memory, { memory_id, user_id: 'ada', memory: 'Prefers tea to coffee.', topics: [], metadata: {} });
  t.is(memory.created_at, memory.updated_at);
  const detail = await api.get(`/memories/${memory_id}`, MemoryDetail);
  t.deepEqual(detail, { ...memory, memory_type: 'user', version: 1, superseded_by: null, superseded_at: null });
});

test('every retrieval method finds a memory as soon as it has been created', async (t) => {
  const api = await freshClient();
  const others = ['The garage code was changed.', 'Flies to Lisbon in May.', 'Owns a wooden canoe.'];
  for (const memory of others) await create(api, { memory });
  for (const retrieval_method of RETRIEVAL_METHODS) {
    const memory = `Is allergic to walnuts, says ${retrieval_method}.`;
    await create(api, { memory, user_id: retrieval_method });
    const answer = await search(api, { query: 'walnuts allergic', user_id: retrieval_method, retrieval_method });
    t.deepEqual(texts(answer), [memory], retrieval_method);
    t.like(answer, { total_results: 1, query: 'walnuts allergic', retrieval_method });
  }
  const answer = await search(api, { query: 'wooden canoe' });
  t.is(answer.retrieval_method, 'agentic');
  t.is(texts(answer)[0], 'Owns a wooden canoe.');
  t.deepEqual(answer.retrieval_details.steps, ['hybrid']);
});

test('last_n and first_n return the newest and oldest memories in order, of one user or of all', async (t) => {
  const api = await freshClient();
  for (const memory of ['one', 'two', 'three']) await create(api, { memory });
  await create(api, { memory: 'other', user_id: 'bob' });
  const ask = async (retrieval_method: string, json: object) => texts(await search(api, { retrieval_method, ...json }));
  t.deepEqual(await ask('last_n', { user_id: 'ada', limit: 2 }), ['three', 'two']);
  t.deepEqual(await ask('first_n', { user_id: 'ada', limit: 2 }), ['one', 'two']);
  t.deepEqual(await ask('last_n', {}), ['other', 'three', 'two', 'one']);
  t.deepEqual(await ask('last_n', { user_id: 'nobody' }), []);
});

test('an update changes only the fields sent, a replacement all; both keep id, owner and creation time', async (t) => {
  const api = await freshClient();
  const first = await create(api, { memory: 'Lives in Bergen.', topics: ['home'], metadata: { sure: true } });
  const path = `/memories/${first.memory_id}`;
  const updated = await api.get(path, MemoryAnswer, put({ user_id: 'ada', topics: ['home', 'city'] }));
  t.is(updated.message, 'Memory updated.');
  t.deepEqual(updated.memory, { ...first.memory, topics: ['home', 'city'], updated_at: updated.memory.updated_at });
  t.true(updated.memory.updated_at > first.memory.updated_at);

  const json = { user_id: 'ada', memory: 'Lives in Oslo.', topics: [], metadata: { since: 2026 } };
  const replaced = await api.post(`${path}/replace`, ReplaceMemoryAnswer, { json });
  t.is(replaced.message, 'Memory replaced.');
  t.deepEqual(replaced.old_memory, updated.memory);
  t.like(replaced.new_memory, { ...json, memory_id: first.memory_id, created_at: first.memory.created_at });
  for (const retrieval_method of ['vector', 'keyword', 'hybrid', 'agentic', 'last_n']) {
    const found = await search(api, { query: 'lives in Oslo Bergen', retrieval_method });
    t.deepEqual(found.memories, [replaced.new_memory], retrieval_method);
  }
  t.deepEqual(texts(await search(api, { query: 'Bergen', retrieval_method: 'keyword' })), []);
});

test('an update that sends only the owner changes nothing', async (t) => {
  const api = await freshClient();
  const { memory_id, memory } = await create(api, { memory: 'Owns a canoe.' });
  const answer = await api.get(`/memories/${memory_id}`, MemoryAnswer, put({ user_id: 'ada' }));
  t.deepEqual(answer.memory, memory);
  t.is((await api.get(`/memories/${memory_id}`, MemoryDetail)).version, 1);
  t.is((await api.get(`/memories/${memory_id}/history`, MemoryHistory)).total_count, 1);
  t.is((await api.fail(`/memories/${memory_id}`, put({ user_id: 'bob' }))).status, 403);
});

test('the history has every version, and as_of reads and searches what was valid at a time', async (t) => {
  const api = await freshClient();
  const { memory_id, memory } = await create(api, { memory: 'Drives a red van.' });
  const path = `/memories/${memory_id}`;
  const second = await api.get(path, MemoryAnswer, put({ user_id: 'ada', memory: 'Drives a blue lorry.' }));
  const third = await api.get(path, MemoryAnswer, put({ user_id: 'ada', memory: 'Sold every vehicle.' }));
  const history = await api.get(`${path}/history`, MemoryHistory);
  t.deepEqual(
    history.data.map((one) => [one.version, one.memory, one.valid_from, one.valid_to]),
    [
      [3, 'Sold every vehicle.', third.memory.updated_at, null],
      [2, 'Drives a blue lorry.', second.memory.updated_at, third.memory.updated_at],
      [1, 'Drives a red van.', memory.created_at, second.memory.updated_at],
    ],
  );
  const page = await api.get(`${path}/history?limit=2`, MemoryHistory);
  t.like(page, { total_count: 3, has_more: true });
  const rest = await api.get(`${path}/history?limit=2&cursor=${page.next_cursor}`, MemoryHistory);
  t.deepEqual([...page.data, ...rest.data], history.data);

  const at = (time: string) => `${path}?as_of=${encodeURIComponent(time)}`;
  t.is((await api.get(at(memory.created_at), MemoryDetail)).memory, 'Drives a red van.');
  t.is((await api.get(at(second.memory.updated_at), MemoryDetail)).memory, 'Drives a blue lorry.');
  t.is((await api.fail(at('2001-01-01T00:00:00Z'))).status, 404);
  for (const retrieval_method of RETRIEVAL_METHODS) {
    const ask = async (as_of: string) =>
      texts(await search(api, { query: 'red van blue lorry sold vehicle', retrieval_method, as_of }));
    t.deepEqual(await ask(memory.created_at), ['Drives a red van.'], retrieval_method);
    t.deepEqual(await ask(second.memory.updated_at), ['Drives a blue lorry.'], retrieval_method);
    t.deepEqual(await ask('2099-01-01T00:00:00+02:00'), ['Sold every vehicle.'], retrieval_method);
    t.deepEqual(await ask('2001-01-01T00:00:00Z'), [], retrieval_method);
  }
});

test('deleting a memory removes its history, and every search stops returning it', async (t) => {
  const api = await freshClient();
  const { memory_id } = await create(api, { memory: 'Keeps bees on the roof.' });
  const kept = await create(api, { memory: 'Keeps a goat.' });
  const path = `/memories/${memory_id}`;
  const answer = await api.send(path, { method: 'DELETE' });
  t.is(answer.status, 204);
  t.is(await answer.text(), '');
  for (const gone of [path, `${path}/history`]) t.is((await api.fail(gone)).status, 404);
  t.is((await api.fail(path, { method: 'DELETE' })).status, 404);
  for (const retrieval_method of RETRIEVAL_METHODS) {
    t.deepEqual(texts(await search(api, { query: 'keeps bees', retrieval_method })), ['Keeps a goat.']);
  }
  t.is((await api.get(`/memories/${kept.memory_id}`, MemoryDetail)).memory, 'Keeps a goat.');
});

test('memories are listed in pages and filtered by user and type', async (t) => {
  const api = await freshClient();
  for (const number of [1, 2, 3, 4, 5]) {
    await create(api, {
      memory: `number ${number}`,
      memory_type: number % 2 ? 'user' : 'team',
      user_id: number === 5 ? 'bob' : 'ada',
    });
  }
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: MemoryList = await api.get(`/memories?limit=2${cursor && `&cursor=${cursor}`}`, MemoryList);
    t.is(page.total_count, 5);
    seen.push(...page.data.map(({ memory }) => memory));
    cursor = page.next_cursor;
  }
  t.deepEqual(seen, ['number 1', 'number 2', 'number 3', 'number 4', 'number 5']);
  const count = async (query: string) => (await api.get(`/memories?${query}`, MemoryList)).total_count;
  t.is(await count('user_id=ada'), 4);
  t.is(await count('user_id=ada&memory_type=team'), 2);
  t.is(await count('user_id=nobody'), 0);
  const first = await api.get('/memories?limit=2', MemoryList);
  t.deepEqual((await api.fail(`/memories?limit=2&user_id=ada&cursor=${first.next_cursor}`)).problems, [
    'query.cursor cursor_invalid',
  ]);
});

test('concurrent updates are all recorded, and search returns only the last version', async (t) => {
  const api = await freshClient();
  const { memory_id } = await create(api, { memory: 'The count stands at zero.' });
  const path = `/memories/${memory_id}`;
  const numbers = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const shown: string[][] = [];
  await Promise.all([
    ...numbers.map((number) =>
      api.get(path, MemoryAnswer, put({ user_id: 'ada', memory: `The count stands at ${number}.` })),
    ),
    ...numbers.map(async () =>
      shown.push(texts(await search(api, { query: 'count stands', retrieval_method: 'hybrid' }))),
    ),
  ]);
  for (const one of shown) t.true(one.length <= 1, 'never two versions in one answer');
  const { data } = await api.get(`${path}/history`, MemoryHistory);
  t.deepEqual(
    data.map(({ version }) => version),
    Array.from({ length: 13 }, (_, index) => 13 - index),
  );
  t.deepEqual(
    data.map(({ memory }) => memory).sort(),
    ['zero', ...numbers].map((number) => `The count stands at ${number}.`).sort(),
  );
  for (const [index, newer] of data.slice(0, -1).entries()) t.is(data[index + 1]?.valid_to, newer.valid_from);
  for (const retrieval_method of RETRIEVAL_METHODS) {
    const answer = await search(api, { query: 'the count stands', retrieval_method });
    t.deepEqual(texts(answer), [data[0]?.memory], retrieval_method);
  }
});
