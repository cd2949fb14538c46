import test, { type ExecutionContext } from 'ava';
import type { RerankOutcome } from '#domain/reranker.ts';
import { readScores } from '#providers/rerankers/rerank-calls.ts';
import { RerankError } from '#providers/rerankers/rerank-error.ts';
import { createServerReranker } from '#providers/rerankers/server-reranker.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import {
  startRerankServer,
  type RerankBehaviour,
  type RerankServerKind,
} from '#test/support/servers/models/rerank-server.ts';

const PASSAGES = ['Bread needs salt.', 'Otters sleep on their backs.', 'Otters eat.'];
const QUERY = 'how do otters sleep';

/** A server that does what a test says, and a reranker that asks it. */
async function start(
  t: ExecutionContext,
  {
    kind = 'cohere',
    behaviour,
    timeoutMs = 30_000,
    passageCharacters = 4_000,
  }: { kind?: RerankServerKind; behaviour?: RerankBehaviour; timeoutMs?: number; passageCharacters?: number } = {},
) {
  const server = await startRerankServer(kind, behaviour);
  t.teardown(() => server.close());
  const reranker = createServerReranker({
    baseUrl: server.baseUrl,
    apiKey: 'k-1',
    model: 'm',
    timeoutMs,
    passageCharacters,
  });
  const rerank = (passages: readonly string[] = PASSAGES, share = 'a') =>
    reranker.rerank({ query: QUERY, passages, share });
  return { server, reranker, rerank };
}

const reasonOf = (outcome: RerankOutcome) => ('reason' in outcome ? outcome.reason : outcome.scores);

for (const kind of ['cohere', 'tei'] as const) {
  test(`returns the score of each passage, in their order, from a server of the form of ${kind}`, async (t) => {
    const { server, rerank } = await start(t, { kind });
    t.deepEqual(await rerank(), { scores: [0, 0.5, 0.25] });
    t.is(server.asked[0]?.headers.authorization, 'Bearer k-1');
    // The form is remembered.
    const before = server.calls();
    await rerank();
    t.is(server.calls() - before, 1);
  });
}

test('a hundred passages are one call of Cohere, and calls of 32 of TEI, which takes no more', async (t) => {
  const passages = Array.from({ length: 100 }, (_, index) => `otters ${index}`);
  const scores = passages.map((_, index) => index / 100);
  const behaviour: RerankBehaviour = ({ passages: sent }) => sent.map((text) => Number(text.split(' ')[1]) / 100);
  const cohere = await start(t, { behaviour });
  t.deepEqual(await cohere.rerank(passages), { scores });
  t.is(cohere.server.asked.length, 1);
  const tei = await start(t, { kind: 'tei', behaviour });
  t.deepEqual(await tei.rerank(passages), { scores });
  const sizes = tei.server.asked.map(({ passages: sent }) => sent.length);
  t.deepEqual(
    sizes.toSorted((a, b) => b - a),
    [32, 32, 32, 4],
  );
});

test('an address that ends with /rerank or a slash is the same', async (t) => {
  const { server } = await start(t);
  for (const end of ['/', '/rerank', '/rerank/']) {
    const reranker = createServerReranker({
      baseUrl: server.baseUrl + end,
      apiKey: null,
      model: 'm',
      timeoutMs: 9_000,
      passageCharacters: 4_000,
    });
    t.deepEqual(await reranker.rerank({ query: QUERY, passages: PASSAGES, share: '' }), { scores: [0, 0.5, 0.25] });
  }
});

test('long passages and queries are cut, never within a character', async (t) => {
  const { server, reranker } = await start(t, { behaviour: ({ passages }) => passages.map(() => 1) });
  const passage = 'x'.repeat(3_999) + '🦦'.repeat(100);
  await reranker.rerank({ query: 'q'.repeat(8_192), passages: [passage, 'short'], share: '' });
  t.is(server.asked[0]?.query.length, 2_000);
  t.deepEqual(server.asked[0]?.passages, ['x'.repeat(3_999), 'short']);
});

const scored = (results: unknown) => ({ raw: JSON.stringify({ results }) });
const one = (index: number, relevance_score: unknown) => ({ index, relevance_score });
const NONSENSE: Record<string, RerankBehaviour> = {
  'an index that was not sent': () => scored([one(0, 1), one(1, 1), one(3, 1)]),
  'a negative index': () => scored([one(0, 1), one(1, 1), one(-1, 1)]),
  'an index twice': () => scored([one(0, 1), one(1, 1), one(1, 0.5)]),
  'too few scores': () => scored([one(0, 1), one(1, 1)]),
  'too many scores': () => scored([one(0, 1), one(1, 1), one(2, 1), one(2, 1)]),
  'no scores': () => scored([]),
  'a score that is null': () => scored([one(0, 1), one(1, 1), one(2, null)]),
  'a score that is a text': () => scored([one(0, 1), one(1, 1), one(2, '0.4')]),
  NaN: () => ({ raw: '{"results":[{"index":0,"relevance_score":NaN}]}' }),
  'a number without bounds': () => ({ raw: '[{"index":0,"score":1e999},{"index":1,"score":1},{"index":2,"score":1}]' }),
  'no JSON': () => ({ raw: '<html>' }),
  'another object': () => ({ raw: '{"data":[]}' }),
  'an answer without an end': () => 'endless',
};
for (const [what, behaviour] of Object.entries(NONSENSE)) {
  test(`${what} is no answer`, async (t) => {
    const { rerank } = await start(t, { behaviour });
    t.is(reasonOf(await rerank()), 'invalid_response');
  });
}

test('a list of another length is described by its length, whatever its elements are', (t) => {
  for (const wrap of [(list: string) => list, (list: string) => `{"results":${list}}`]) {
    const error = t.throws(() => readScores(wrap(`[${'{},'.repeat(99_999)}{}]`), 3), { instanceOf: RerankError });
    t.is(error.message, 'The reranking server returned 100000 scores for 3 passages.');
    t.is(error.cause, undefined);
  }
});

test('a response may be as long as the texts that it returns, and not much longer', async (t) => {
  const results = PASSAGES.map((_, index) => one(index, index / 4));
  const padded = { raw: JSON.stringify({ results }) + ' '.repeat(100_000) };
  const { rerank, server } = await start(t, { behaviour: () => padded });
  t.is(reasonOf(await rerank()), 'invalid_response');
  server.behave(({ passages }) => {
    const returned = passages.map((document, index) => ({ ...one(index, index), document }));
    return { raw: JSON.stringify({ results: returned }).replaceAll('ж', String.raw`\u0436`) };
  });
  t.deepEqual(await rerank(PASSAGES.map(() => 'ж'.repeat(4_000))), { scores: [0, 1, 2] });
});

test('when a call of a search fails, its other calls end with it', async (t) => {
  const { server, rerank } = await start(t, {
    kind: 'tei',
    behaviour: ({ passages }) => (passages.length < 32 ? eventually('all are asked', allAreAsked) : 'silent'),
  });
  const allAreAsked = async () => server.asked.length === 4 && { status: 503 };
  t.is(reasonOf(await rerank(Array.from({ length: 100 }, () => 'otters'))), 'unavailable');
  t.true(await eventually('the calls end', async () => server.abandoned() === 3, { timeoutMs: 10_000 }));
});

test('a server that is silent, or that is away, ends with the reason', async (t) => {
  const silent = await start(t, { behaviour: () => 'silent', timeoutMs: 200 });
  t.is(reasonOf(await silent.rerank()), 'timeout');
  const away = await start(t);
  await away.server.close();
  t.is(reasonOf(await away.rerank()), 'unavailable');
});

for (const [status, reason] of [
  [500, 'unavailable'],
  [401, 'unavailable'],
  [404, 'unavailable'],
  [413, 'rejected'],
  [422, 'rejected'],
] as const) {
  test(`HTTP ${status} is ${reason}, and the message has nothing of the texts`, async (t) => {
    const { rerank } = await start(t, { behaviour: ({ passages }) => ({ status, body: { error: passages } }) });
    const outcome = await rerank();
    t.is(reasonOf(outcome), reason);
    t.false(JSON.stringify(outcome).includes('Otters'));
    if (status === 401) t.regex(JSON.stringify(outcome), /LOCI_RERANK_API_KEY/);
    if (status === 404) t.regex(JSON.stringify(outcome), /LOCI_RERANK_BASE_URL/);
  });
}

test('a server that fails three times is not called for a while, and then again', async (t) => {
  let status = 503;
  const { server, rerank } = await start(t, {
    behaviour: ({ passages }) => (status === 200 ? passages.map(() => 1) : { status }),
  });
  for (let call = 0; call < 3; call += 1) t.is(reasonOf(await rerank()), 'unavailable');
  const before = server.calls();
  t.is(reasonOf(await rerank()), 'unavailable');
  t.is(server.calls(), before, 'the circuit is open');
  status = 200;
  t.deepEqual(
    await eventually('the server is called again', async () => {
      const outcome = await rerank();
      return 'scores' in outcome ? outcome.scores : null;
    }),
    [1, 1, 1],
  );
  t.is(server.calls(), before + 1);
});

test('a server that asks to wait is not called meanwhile', async (t) => {
  const { server, rerank } = await start(t, { behaviour: () => ({ status: 429, headers: { 'retry-after': '60' } }) });
  await rerank();
  const before = server.calls();
  t.is(reasonOf(await rerank()), 'unavailable');
  t.is(server.calls(), before);
});

test('texts that are rejected do not stop the searches of others', async (t) => {
  const { rerank } = await start(t, {
    behaviour: ({ passages }) => (passages[0] === 'bad' ? { status: 400 } : passages.map(() => 1)),
  });
  for (let call = 0; call < 5; call += 1) t.is(reasonOf(await rerank(['bad'])), 'rejected');
  t.deepEqual(await rerank(['good']), { scores: [1] });
});

test("a burst of one workspace does not hold up another's search", async (t) => {
  const waiting: (() => void)[] = [];
  const { server, rerank } = await start(t, {
    behaviour: async ({ passages }) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return passages.map(() => 1);
    },
  });
  const burst = Array.from({ length: 40 }, () => rerank(['burst'], 'a'));
  const running = await eventually('eight searches run', async () => (waiting.length === 8 ? waiting.length : null));
  const other = rerank(['other'], 'b');
  // One search of the burst ends: the next turn is that of the other workspace.
  waiting.shift()?.();
  await eventually('another search runs', async () => server.asked.length > running);
  t.deepEqual(server.asked[running]?.passages, ['other']);
  const freeing = setInterval(() => waiting.splice(0).forEach((free) => free()), 5);
  t.deepEqual(await other, { scores: [1] });
  await Promise.all(burst);
  clearInterval(freeing);
});

test('a search whose turn does not come is not reranked', async (t) => {
  const { rerank } = await start(t, { behaviour: () => 'silent', timeoutMs: 1_000 });
  const outcomes = await Promise.all(Array.from({ length: 9 }, async () => reasonOf(await rerank())));
  t.deepEqual(outcomes.filter((outcome) => outcome === 'busy').length, 1);
  t.deepEqual(outcomes.filter((outcome) => outcome === 'timeout').length, 8);
});
