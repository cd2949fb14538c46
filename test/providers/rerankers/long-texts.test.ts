import test, { type ExecutionContext } from 'ava';
import { createServerReranker } from '#providers/rerankers/server-reranker.ts';
import { startRerankServer, type RerankServerKind } from '#test/support/servers/models/rerank-server.ts';

type Limit = { kind?: RerankServerKind; status: number; maxBytes: number; passageCharacters?: number };

/** A server that, like vLLM and llama.cpp, answers with an error when a query and a passage have more bytes than its model reads. */
async function start(t: ExecutionContext, { kind = 'cohere', status, maxBytes, passageCharacters = 4_000 }: Limit) {
  const server = await startRerankServer(kind, ({ query, passages }) =>
    passages.some((passage) => Buffer.byteLength(query + passage) > maxBytes) ? { status } : passages.map(() => 1),
  );
  t.teardown(() => server.close());
  const { baseUrl } = server;
  const reranker = createServerReranker({ baseUrl, apiKey: null, model: 'm', timeoutMs: 30_000, passageCharacters });
  const rerank = (query: string, passages: string[]) => reranker.rerank({ query, passages, share: 'a' });
  return { server, rerank };
}

const LONG = ['otter '.repeat(400), '水獺'.repeat(500), 'short'];

for (const [kind, status] of [
  ['cohere', 400],
  ['cohere', 500],
  ['tei', 413],
] as const) {
  test(`a server of the form of ${kind} that answers ${status} to long texts gets shorter ones`, async (t) => {
    const { server, rerank } = await start(t, { kind, status, maxBytes: 1_536 });
    t.deepEqual(await rerank('where do otters sleep? '.repeat(50), LONG), { scores: [1, 1, 1] });
    t.deepEqual(server.asked.at(-1)?.passages, [LONG[0]?.slice(0, 1_000), LONG[1]?.slice(0, 333), 'short']);
    t.is(server.asked.length, 2);
  });
}

test('texts that are short, or rejected when they are shorter too, are not sent again', async (t) => {
  const { server, rerank } = await start(t, { status: 500, maxBytes: 0 });
  t.like(await rerank('otters', ['short']), { reason: 'unavailable' });
  t.is(server.asked.length, 1);
  t.like(await rerank('otters', LONG), { reason: 'unavailable' });
  t.is(server.asked.length, 3);
});

test('with passages as long as the model reads, no call is rejected, and a query is half as long at most', async (t) => {
  const { server, rerank } = await start(t, { status: 400, maxBytes: 1_500, passageCharacters: 1_000 });
  t.deepEqual(await rerank('q'.repeat(8_000), ['x'.repeat(9_000)]), { scores: [1] });
  t.is(server.calls(), 1);
  t.is(server.asked[0]?.query.length, 500);
  t.is(server.asked[0]?.passages[0]?.length, 1_000);
});

test('a server that has returned a logit returns logits from then on', async (t) => {
  const server = await startRerankServer('cohere', ({ passages }) => passages.map(Number));
  t.teardown(() => server.close());
  const options = { apiKey: null, model: 'm', timeoutMs: 30_000, passageCharacters: 4_000 };
  const reranker = createServerReranker({ baseUrl: server.baseUrl, ...options });
  const rerank = (...passages: string[]) => reranker.rerank({ query: 'q', passages, share: 'a' });
  await rerank('0', '1');
  t.false(reranker.returnsLogits());
  await rerank('0.5', '-0.1');
  t.true(reranker.returnsLogits());
  await rerank('0.5', '0.2');
  t.true(reranker.returnsLogits());
});
