import test from 'ava';
import { CreateMemoriesAnswer } from '#domain/memories/memory-batch.ts';
import { SearchMemoriesResponse } from '#domain/records/memory.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { startRerankApi, type RerankApi } from '#test/api/collections/rerank-api.ts';

const QUERY = 'otter habits';

let api: RerankApi;
let plain: Awaited<ReturnType<typeof freshClient>>;
let reranking: ApiClient;

/** The model prefers memories with high numbers, the search those with many otters, which have low ones. */
const numberOf = (text: string) => Number(/number (\d+)/.exec(text)?.[1] ?? -1);
const numbers = ({ memories }: SearchMemoriesResponse) => memories.map(({ memory }) => numberOf(memory));

test.before(async () => {
  [api, plain] = await Promise.all([startRerankApi(), freshClient()]);
  reranking = api.client(plain.key);
  const memories = Array.from({ length: 40 }, (_, index) => ({
    user_id: 'ada',
    memory: `Habits number ${index}. ${'The otter. '.repeat(40 - index)}`,
  }));
  await plain.post('/memories/batch', CreateMemoriesAnswer, { json: { memories }, status: 201 });
});
test.after.always(() => api?.close());
test.beforeEach(() => api.server.behave(({ passages }) => passages.map(numberOf)));

const search = (client: ApiClient, asked: object) =>
  client.post('/memories/search', SearchMemoriesResponse, {
    json: { query: QUERY, user_id: 'ada', retrieval_method: 'keyword', ...asked },
  });

test.serial('the best memories are put in the order of the reranking model, others follow', async (t) => {
  const unordered = await search(reranking, { limit: 40 });
  t.is(unordered.reranked, undefined);
  const found = await search(reranking, { limit: 5, rerank: true });
  t.true(found.reranked);
  t.deepEqual(found.retrieval_details.steps, ['keyword', 'rerank']);
  const given = api.server.asked.at(-1)?.passages.map(numberOf) ?? [];
  t.deepEqual(given, numbers(unordered).slice(0, 30), 'the best 30, though five are asked for');
  t.deepEqual(numbers(found), given.toSorted((a, b) => b - a).slice(0, 5));
  const few = await search(reranking, { limit: 6, rerank: { depth: 3 } });
  const plainly = numbers(unordered);
  t.deepEqual(numbers(few), [...plainly.slice(0, 3).toSorted((a, b) => b - a), ...plainly.slice(3, 6)]);
});

test.serial(
  'memories keep the order of the search where the model fails, or there is none, and the answer says why',
  async (t) => {
    const expected = numbers(await search(plain, { limit: 5 }));
    api.server.behave(() => ({ status: 500 }));
    const failed = await search(reranking, { limit: 5, rerank: true });
    t.deepEqual([failed.reranked, failed.not_reranked?.reason, numbers(failed)], [false, 'unavailable', expected]);
    const without = await search(plain, { limit: 5, rerank: true });
    t.deepEqual([without.not_reranked?.reason, numbers(without)], ['not_configured', expected]);
    const nothing = await search(reranking, { query: 'zebra', rerank: true });
    t.is(nothing.not_reranked?.reason, 'no_results');
  },
);

test.serial('memories by age have no order to change', async (t) => {
  const json = { retrieval_method: 'last_n', user_id: 'ada', rerank: true };
  const refused = await plain.fail('/memories/search', { method: 'POST', json });
  t.deepEqual([refused.status, refused.problems], [422, ['body.rerank conflicting_fields']]);
  t.is((await search(plain, { ...json, rerank: false, limit: 3 })).total_results, 3);
});
