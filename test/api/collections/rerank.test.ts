import test from 'ava';
import { z } from 'zod';
import { Answer } from '#domain/records/answer.ts';
import { MissingResult } from '#domain/records/missing-result.ts';
import { SearchResponse } from '#domain/records/search.ts';
import type { RerankFailure } from '#domain/reranker.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';
import type { RerankBehaviour, RerankServer } from '#test/support/servers/models/rerank-server.ts';
import { otterFiles, startRerankApi, type RerankApi } from './rerank-api.ts';

const QUERY = 'otter habits';

let api: RerankApi;
let server: RerankServer;
let flow: Flow & { key: string };

/** The model prefers texts with high numbers. The search prefers texts with many otters, which have low ones. */
const byNumber: RerankBehaviour = ({ passages }) => passages.map((text) => numberOf(text));
const numberOf = (text: string) => Number(/number (\d+)/.exec(text)?.[1] ?? -1);
const numbers = ({ results }: SearchResponse) => results.map(({ content }) => numberOf(content));

test.before(async () => {
  [api, flow] = await Promise.all([startRerankApi(), startFlow()]);
  ({ server } = api);
  await flow.upload(...otterFiles(40), ['metadata', '{"lang":"en"}']);
});
test.after.always(() => api?.close());
test.beforeEach(() => server.behave(byNumber));

const reranking = () => api.client(flow.key);
const search = (asked: object) =>
  reranking().post('/collections/search', SearchResponse, {
    json: { collection_id: flow.collectionId, query: QUERY, search_type: 'keyword', ...asked },
  });

test.serial('the best hits are put in the order of the model, which explain shows as it scored them', async (t) => {
  const plain = await search({ max_results: 40 });
  t.is(plain.reranked, undefined);
  t.is(plain.not_reranked, undefined);
  const found = await search({ rerank: true, explain: true });
  t.true(found.reranked);
  t.is(found.not_reranked, undefined);
  const given = server.asked.at(-1)?.passages.map(numberOf) ?? [];
  t.deepEqual(given, numbers(plain).slice(0, 30), 'the best 30, in the order of the search');
  t.deepEqual(numbers(found), given.toSorted((a, b) => b - a).slice(0, 10));
  t.deepEqual(
    found.results.map(({ explain }) => [explain?.rerank, explain?.keyword === null]),
    found.results.map(({ content }, index) => [{ rank: index + 1, score: numberOf(content) }, false]),
  );
  const scores = found.results.map(({ score }) => score);
  t.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  t.true(scores.every((score) => score >= 0 && score <= 1));
});

test.serial('hits beyond the depth follow in the order of the search, with lower scores', async (t) => {
  const plain = numbers(await search({ max_results: 12 }));
  const found = await search({ max_results: 12, rerank: { depth: 4 }, explain: true });
  t.deepEqual(numbers(found), [...plain.slice(0, 4).toSorted((a, b) => b - a), ...plain.slice(4)]);
  t.deepEqual(
    found.results.map(({ explain }) => explain?.rerank === null),
    plain.map((_, index) => index >= 4),
  );
  const scores = found.results.map(({ score }) => score);
  t.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  t.is(new Set(scores.slice(4)).size, 8);
});

const FAILURES: [RerankFailure, RerankBehaviour][] = [
  ['unavailable', () => ({ status: 503 })],
  ['rejected', () => ({ status: 400 })],
  ['invalid_response', ({ passages }) => passages.slice(1).map(() => 1)],
  ['timeout', () => 'silent'],
];
for (const [reason, behaviour] of FAILURES) {
  test.serial(`the order of the search stays when the model fails: ${reason}`, async (t) => {
    const plain = await search({ max_results: 30 });
    server.behave(behaviour);
    const found = await search({ max_results: 30, rerank: true });
    t.false(found.reranked);
    t.is(found.not_reranked?.reason, reason);
    t.truthy(found.not_reranked?.message);
    t.deepEqual(
      found.results.map(({ chunk, score }) => [chunk.id, score]),
      plain.results.map(({ chunk, score }) => [chunk.id, score]),
    );
    server.behave(byNumber);
    t.true((await search({ rerank: true })).reranked);
  });
}

test.serial('without a model, and without hits, the answer says so', async (t) => {
  const json = { collection_id: flow.collectionId, query: QUERY, search_type: 'keyword' };
  const plain = await flow.api.post('/collections/search', SearchResponse, { json });
  const found = await flow.api.post('/collections/search', SearchResponse, { json: { ...json, rerank: true } });
  t.false(found.reranked);
  t.is(found.not_reranked?.reason, 'not_configured');
  t.regex(found.not_reranked?.message ?? '', /LOCI_RERANK_BASE_URL/);
  t.deepEqual(numbers(found), numbers(plain));
  const before = server.calls();
  const nothing = await search({ query: 'zebra', rerank: true });
  t.is(nothing.not_reranked?.reason, 'no_results');
  t.is(server.calls(), before);
  const off = await search({ rerank: false });
  t.is(off.reranked, undefined);
  t.is(server.calls(), before);
});

test.serial('pages are cut from one reranked ranking', async (t) => {
  const all = await search({ rerank: true, offset: 0, max_results: 40 });
  t.is(all.results.length, 40);
  const pages: number[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page: SearchResponse = await search({ rerank: true, offset, max_results: 7 });
    t.true(page.reranked);
    pages.push(...numbers(page));
    offset = page.next_offset ?? null;
  }
  t.deepEqual(pages, numbers(all));
  t.is(server.asked.at(-1)?.passages.length, 30);
});

test.serial('min_score keeps its meaning, and leaves out reranked hits', async (t) => {
  const rated = await search({ rerank: true, min_score: 0, max_results: 40 });
  const relevances = rated.results.map(({ relevance = 0 }) => relevance).sort((a, b) => a - b);
  const middle = relevances[Math.floor(relevances.length / 2)] ?? 0;
  const found = await search({ rerank: true, min_score: middle, max_results: 40 });
  const kept = rated.results.filter(({ relevance = 0 }) => relevance >= middle);
  t.deepEqual(
    found.results.map(({ chunk }) => chunk.id),
    kept.map(({ chunk }) => chunk.id),
  );
});

test.serial('groups are of the reranked hits, and recency changes their scores', async (t) => {
  const sections = Array.from({ length: 80 }, (_, index) => `Otter section number ${index} has habits of some length.`);
  const own = await startFlow({ key: flow });
  await own.upload(['file', new File([sections.join('\n\n')], 'long.txt')], ['metadata', '{"year":"2020-01-01"}']);
  await own.upload(
    ['file', new File(['An otter, number 900, has habits.'], 'new.txt')],
    ['metadata', '{"year":"2100-01-01"}'],
  );
  const asked = { collection_id: own.collectionId, rerank: true, explain: true };
  // The last number of a chunk.
  server.behave(({ passages }) => passages.map((text) => Number(/(\d+)\D*$/.exec(text)?.[1]) / 1_000));
  const all = await search(asked);
  const grouped = await search({ ...asked, group_by: 'content' });
  const firsts = all.results.filter(
    ({ source }, index) => all.results.findIndex((one) => one.source === source) === index,
  );
  t.deepEqual(
    grouped.results.map(({ chunk }) => chunk.id),
    firsts.map(({ chunk }) => chunk.id),
  );
  t.deepEqual(
    grouped.results.map(({ source }) => source),
    ['new.txt', 'long.txt'],
  );
  server.behave(({ passages }) => passages.map((text) => (text.includes('900') ? 0.4 : 0.6)));
  t.is((await search(asked)).results[0]?.source, 'long.txt');
  const recency = { half_life_days: 365, weight: 0.9, field: 'year' };
  const recent = await search({ ...asked, recency });
  t.is(recent.results[0]?.source, 'new.txt');
  // The model has returned other numbers than 0 to 1 before.
  t.is(recent.results[0]?.score, 1 / (1 + Math.exp(-0.4)));
});

test.serial('facets and neighbours are what they are without reranking', async (t) => {
  const extras = { expand: { before: 1, after: 1 }, facets: ['lang'], highlight: {}, include_embedding: true };
  const found = await search({ ...extras, rerank: true });
  const plain = await search({ ...extras, max_results: 40 });
  t.deepEqual(found.facets, plain.facets);
  const byId = new Map(plain.results.map((result) => [result.chunk.id, result]));
  for (const { chunk, before, after, highlight, embedding } of found.results) {
    t.like(byId.get(chunk.id), { before, after, highlight, embedding });
  }
});

test.serial('hits of several collections are reranked together', async (t) => {
  const other = await startFlow({ key: flow });
  await other.upload(['content', 'One otter with habits, number 500.']);
  const collection_ids = [flow.collectionId, other.collectionId];
  const found = await search({ collection_id: undefined, collection_ids, rerank: { depth: 50 }, explain: true });
  t.true(found.reranked);
  t.deepEqual(numbers(found), [500, 39, 38, 37, 36, 35, 34, 33, 32, 31]);
  t.is(found.results[0]?.collection_id, other.collectionId);
  t.deepEqual(found.results[0]?.explain?.rerank, { rank: 1, score: 500 });
});

test.serial('explain says when the model has put a hit below the cut', async (t) => {
  const plain = await search({ max_results: 3 });
  const [best] = plain.results;
  const asked = { query: QUERY, search_type: 'keyword', max_results: 3, content_id: best?.content_id };
  const explain = (json: object) => reranking().post('/collections/search/explain', MissingResult, { json });
  t.is((await explain(asked)).reason, 'found');
  const lost = await explain({ ...asked, rerank: true });
  t.like(lost, { reason: 'below_cut', rank: 1, reranked: true });
  const given =
    server.asked
      .at(-1)
      ?.passages.map(numberOf)
      .toSorted((a, b) => b - a) ?? [];
  const number = numberOf(best?.content ?? '');
  t.deepEqual(lost.rerank, { rank: given.indexOf(number) + 1, score: number });
  t.true(lost.message.includes(`The reranker puts it at rank ${lost.rerank?.rank}, from rank 1 of the search`));
  t.is(lost.lost_to.length, 3);
  server.behave(() => ({ status: 503 }));
  t.like(await explain({ ...asked, rerank: true }), { reason: 'found', reranked: false, rerank: null });
});

test.serial('answers rest on the reranked passages, and say whether they were', async (t) => {
  const ask = (asked: object) =>
    reranking().post('/answers', Answer, {
      json: { query: QUERY, collection_ids: [flow.collectionId], search_type: 'keyword', max_results: 5, ...asked },
    });
  const answer = await ask({ rerank: true });
  t.true(answer.reranked);
  t.deepEqual(
    answer.passages.map(({ content }) => numberOf(content)),
    numbers(await search({ rerank: true, max_results: 5 })),
  );
  server.behave(() => ({ status: 503 }));
  t.is((await ask({ rerank: { depth: 7 } })).not_reranked?.reason, 'unavailable');
  server.behave(byNumber);
  await ask({ rerank: true });
  t.is((await ask({})).reranked, undefined);
});

test.serial('the depth has bounds, and readiness and metrics tell of the model', async (t) => {
  const outsider = await freshClient();
  for (const rerank of [{ depth: 0 }, { depth: 101 }, { dept: 3 }, 'yes']) {
    const json = { collection_id: flow.collectionId, query: QUERY, rerank };
    t.is((await outsider.send('/collections/search', { method: 'POST', json })).status, 422);
  }
  const readyz = await (await fetch(`${api.url}/readyz`)).json();
  t.is(z.looseObject({ reranker: z.string() }).parse(readyz).reranker, 'server/scripted');
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  t.regex(metrics, /loci_rerank_duration_seconds_count\{outcome="ok"\} \d+/);
  t.regex(metrics, /loci_rerank_duration_seconds_count\{outcome="timeout"\} 1/);
});
