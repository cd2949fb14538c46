import test from 'ava';
import { MemoryDetail, MemoryList, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { CreateMemoriesAnswer } from '#domain/memories/memory-batch.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { freshClient, type ApiClient, type Sent } from '#test/support/harness/api-client.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';

const PATH = '/memories/batch';
const post = (json: unknown, headers: Record<string, string> = {}): Sent => ({ method: 'POST', json, headers });
const createAll = (api: ApiClient, memories: readonly unknown[], sent: { status?: number } = {}) =>
  api.post(PATH, CreateMemoriesAnswer, { json: { memories }, status: 201, ...sent });
const search = (api: ApiClient, json: object) => api.post('/memories/search', SearchMemoriesResponse, { json });
/** Per item: `created`, or where the problems are and what they are. */
const outcomes = ({ results }: CreateMemoriesAnswer) =>
  results.map((result) =>
    result.status === 'created'
      ? 'created'
      : result.error.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`).join(', '),
  );

test('a batch creates its memories, with a result for each in their order', async (t) => {
  const api = await freshClient();
  const memories = ['Grows leeks.', 'Grows dahlias.', 'Grows nothing.'].map((memory, number) => ({
    user_id: number === 1 ? 'bob' : 'ada',
    memory,
    topics: ['garden'],
  }));
  const response = await api.send(PATH, post({ memories }));
  t.is(response.status, 201);
  t.is(response.headers.get('Loci-Indexing'), null);
  const body: unknown = await response.json();
  const answer = CreateMemoriesAnswer.parse(body);
  t.deepEqual(body, answer);
  t.deepEqual([answer.created, answer.failed], [3, 0]);
  for (const [index, result] of answer.results.entries()) {
    if (result.status !== 'created') throw new Error(`item ${index} failed`);
    t.like(result, { index, memory: { memory_id: result.memory_id, metadata: {}, ...memories[index] } });
    const detail = await api.get(`/memories/${result.memory_id}`, MemoryDetail);
    t.deepEqual(detail, {
      ...result.memory,
      memory_type: 'user',
      version: 1,
      superseded_by: null,
      superseded_at: null,
    });
  }
  const listed = await api.get('/memories', MemoryList);
  t.deepEqual(
    listed.data.map(({ memory }) => memory),
    memories.map(({ memory }) => memory),
    'oldest first',
  );
});

test('an invalid item of a batch fails alone, and its error says where and what', async (t) => {
  const api = await freshClient();
  const answer = await createAll(api, [
    { user_id: 'ada', memory: 'Keeps a falcon.' },
    { memory: 'Nobody owns this.' },
    { user_id: 'ada', memory: 'A NUL\0 inside.' },
    { user_id: 'ada', memory: 'm'.repeat(16_385) },
    { user_id: 'ada', memory: ' ', owner: 'me', memory_type: 'secret' },
    'a text',
    null,
    { user_id: 'ada', memory: 'Keeps a hawk.' },
  ]);
  t.deepEqual(outcomes(answer), [
    'created',
    'body.memories.1.user_id missing',
    'body.memories.2.memory custom',
    'body.memories.3.memory too_big',
    'body.memories.4.memory custom, body.memories.4.memory_type invalid_value, body.memories.4.owner unrecognized_keys',
    'body.memories.5 invalid_type',
    'body.memories.6 invalid_type',
    'created',
  ]);
  t.deepEqual(
    answer.results.map(({ index }) => index),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
  t.deepEqual([answer.created, answer.failed], [2, 6]);
  t.deepEqual(
    (await api.get('/memories', MemoryList)).data.map(({ memory }) => memory),
    ['Keeps a falcon.', 'Keeps a hawk.'],
  );
});

test('when every item of a batch fails, the response has status 400 and the same body', async (t) => {
  const api = await freshClient();
  const answer = await createAll(api, [{ user_id: 'ada' }, { memory: 'x' }], { status: 400 });
  t.deepEqual(outcomes(answer), ['body.memories.0.memory missing', 'body.memories.1.user_id missing']);
  t.deepEqual([answer.created, answer.failed], [0, 2]);
  t.is((await api.get('/memories', MemoryList)).total_count, 0);
});

test('the problems of one item that the response lists are bounded', async (t) => {
  const api = await freshClient();
  const topics = Array.from({ length: 100 }, () => 7);
  const answer = await createAll(api, [{ user_id: 'ada', memory: 'x', topics }], { status: 400 });
  const [result] = answer.results;
  const detail = result?.status === 'failed' ? result.error.detail : [];
  t.is(detail.length, 21);
  t.deepEqual(detail.at(-1), {
    loc: ['body', 'memories', '0'],
    msg: '80 more problems are not listed',
    type: 'truncated',
  });
});

test('a batch that is not a list, is empty, has over 1,000 items or over 4 MiB is rejected as a whole', async (t) => {
  const api = await freshClient();
  const problems = async (json: unknown) => {
    const { status, problems: found } = await api.fail(PATH, post(json));
    return [status, ...found];
  };
  const item = { user_id: 'ada', memory: 'x' };
  t.deepEqual(await problems({}), [422, 'body.memories missing']);
  t.deepEqual(await problems([item]), [422, 'body invalid_type']);
  t.deepEqual(await problems({ memories: item }), [422, 'body.memories invalid_type']);
  t.deepEqual(await problems({ memories: [] }), [422, 'body.memories too_small']);
  t.deepEqual(await problems({ memories: [item], user_id: 'ada' }), [422, 'body.user_id unrecognized_keys']);
  t.deepEqual(await problems({ memories: Array.from({ length: 1_001 }, () => item) }), [422, 'body.memories too_big']);
  const long = { ...item, memory: 'm'.repeat(16_000) };
  const tooLarge = await api.fail(PATH, post({ memories: Array.from({ length: 270 }, () => long) }));
  t.deepEqual([tooLarge.status, tooLarge.code], [413, 'payload_too_large']);
  t.is((await api.get('/memories', MemoryList)).total_count, 0);
});

test('1,000 memories of one batch are found by words and by meaning when the response arrives', async (t) => {
  const api = await freshClient();
  const texts = Array.from({ length: 1_000 }, (_, number) => `Shelf ${number} holds the book called volume${number}.`);
  const response = await api.send(PATH, post({ memories: texts.map((memory) => ({ user_id: 'ada', memory })) }));
  t.deepEqual([response.status, response.headers.get('Loci-Indexing')], [201, null]);
  t.is(CreateMemoriesAnswer.parse(await response.json()).created, 1_000);
  const methods = ['keyword', 'vector'] as const;
  const missing = await Promise.all(
    methods.map(async (retrieval_method) => {
      const absent: string[] = [];
      for (let number = 0; number < texts.length; number += 37) {
        const { memories } = await search(api, { query: texts[number], retrieval_method, limit: 1 });
        if (memories[0]?.memory !== texts[number]) absent.push(texts[number] ?? '');
      }
      return absent;
    }),
  );
  t.deepEqual(missing, [[], []]);
});

test('memories written singly by many clients at once are each found when their response arrives', async (t) => {
  const api = await freshClient();
  const texts = Array.from({ length: 96 }, (_, number) => `Locker ${number} has the code secret${number}.`);
  const left = texts.values();
  const missing: string[] = [];
  const client = async () => {
    for (const memory of left) {
      const response = await api.send('/memories', post({ user_id: 'ada', memory }));
      t.deepEqual([response.status, response.headers.get('Loci-Indexing')], [201, null]);
      for (const retrieval_method of ['keyword', 'vector'] as const) {
        const { memories } = await search(api, { query: memory, retrieval_method, limit: 1 });
        if (memories[0]?.memory !== memory) missing.push(`${retrieval_method}: ${memory}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  t.deepEqual(missing, []);
});

test('the same Idempotency-Key creates the memories of a batch once', async (t) => {
  const api = await freshClient();
  const headers = { 'Idempotency-Key': 'batch-1' };
  const sent = post({ memories: [{ user_id: 'ada', memory: 'Said once.' }, { memory: 'x' }] }, headers);
  const [first, again] = [await api.send(PATH, sent), await api.send(PATH, sent)];
  t.deepEqual([first.status, again.status], [201, 201]);
  t.deepEqual(await again.json(), await first.json());
  t.is(again.headers.get('Loci-Indexing'), null);
  t.is((await api.get('/memories', MemoryList)).total_count, 1);
  const other = post({ memories: [{ user_id: 'ada', memory: 'Other.' }] }, headers);
  t.is((await api.fail(PATH, other)).code, 'idempotency_mismatch');
  const failing = post({ memories: [{ memory: 'x' }] }, { 'Idempotency-Key': 'batch-2' });
  for (const _ of [1, 2]) t.is((await api.send(PATH, failing)).status, 400);
});

test('a user token creates only memories of its own user in a batch', async (t) => {
  const issuer = await openTokenIssuer(t);
  const verifier = createBearerTokenVerifier({
    keys: { jwksUrl: issuer.jwksUrl },
    issuer: issuer.issuer,
    audience: AUDIENCE,
    jwksCooldownS: 0,
  });
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: 'workspaces' }, administratorToken: null },
  });
  const workspaceId = await api.services.stores.system.insertWorkspace('shared');
  const token = await issuer.issue({ sub: 'ada', workspaces: [workspaceId] });
  const memories = [{ memory: 'Mine.' }, { user_id: 'bob', memory: 'His.' }, { user_id: 'ada', memory: 'Mine too.' }];
  const answer = await api.send(PATH, { method: 'POST', token, json: { memories } });
  t.is(answer.status, 201);
  const body = CreateMemoriesAnswer.parse(answer.body);
  t.deepEqual(outcomes(body), ['created', 'body.memories.1.user_id foreign_user', 'created']);
  const owners = body.results.flatMap((result) => (result.status === 'created' ? [result.memory.user_id] : []));
  t.deepEqual(owners, ['ada', 'ada']);
});
