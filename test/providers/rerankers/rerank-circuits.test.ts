import test, { type ExecutionContext } from 'ava';
import { RerankCircuits } from '#providers/rerankers/rerank-circuits.ts';
import { RerankError } from '#providers/rerankers/rerank-error.ts';
import { createServerReranker } from '#providers/rerankers/server-reranker.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startRerankServer } from '#test/support/servers/models/rerank-server.ts';

const USUAL = 30;
const GREAT = 31;

/** Circuits, and a function that asks a model for a workspace: it says whether the model was asked. */
function start() {
  const circuits = new RerankCircuits();
  let asked = 0;
  const ask = async (share: string, outcome: 'ok' | 'timeout' | 'unavailable', isGreat = false) => {
    const before = asked;
    const call = async () => {
      asked += 1;
      if (outcome !== 'ok') throw new RerankError(outcome, 'It failed.');
    };
    await circuits.run(call, { share, isGreat }).catch(() => undefined);
    return asked > before;
  };
  const askTimes = async (times: number, ...how: Parameters<typeof ask>) => {
    for (let call = 0; call < times; call += 1) await ask(...how);
  };
  return { ask, askTimes };
}

test('late searches of one workspace stop its own ones, and those of nobody else', async (t) => {
  const { ask, askTimes } = start();
  await askTimes(9, 'a', 'timeout');
  t.false(await ask('a', 'ok'));
  t.true(await ask('b', 'timeout'));
  t.true(await ask('c', 'ok'));
});

test('great depths that are late stop great depths only', async (t) => {
  const { ask, askTimes } = start();
  for (const share of ['a', 'b', 'c', 'd']) await askTimes(9, share, 'timeout', true);
  t.false(await ask('a', 'ok', true));
  t.true(await ask('a', 'ok'));
  t.true(await ask('e', 'ok', true));
});

test('a model that is late for several workspaces one after the other is asked by no further one', async (t) => {
  const { ask } = start();
  for (const share of ['a', 'b', 'a', 'b']) t.true(await ask(share, 'timeout'));
  t.true(await ask('c', 'timeout'));
  t.false(await ask('d', 'ok'));
});

test('a success of any workspace shows that the model works', async (t) => {
  const { ask } = start();
  for (const share of ['a', 'b']) t.true(await ask(share, 'timeout'));
  t.true(await ask('c', 'ok'));
  for (const share of ['a', 'b', 'd']) t.true(await ask(share, share === 'd' ? 'ok' : 'timeout'));
});

test('failures that are not late searches count for all workspaces', async (t) => {
  const { ask, askTimes } = start();
  await askTimes(3, 'a', 'unavailable');
  t.false(await ask('b', 'ok'));
});

/** A reranker whose server answers calls that a test calls fast, and no others. */
async function startServer(t: ExecutionContext, isFast: (passages: number) => boolean) {
  const server = await startRerankServer('cohere', ({ passages }) =>
    isFast(passages.length) ? passages.map(() => 1) : 'silent',
  );
  t.teardown(() => server.close());
  const reranker = createServerReranker({
    baseUrl: server.baseUrl,
    apiKey: null,
    model: 'm',
    timeoutMs: 500,
    passageCharacters: 4_000,
  });
  const rerank = async (depth: number, share: string) => {
    const passages = Array.from({ length: depth }, () => 'otters');
    const outcome = await reranker.rerank({ query: 'otters', passages, share });
    return 'reason' in outcome ? outcome.reason : 'ok';
  };
  return { server, rerank };
}

test('a burst of late searches of one workspace does not stop the searches of others', async (t) => {
  for (const depth of [USUAL, GREAT]) {
    const { server, rerank } = await startServer(t, (passages) => passages < USUAL);
    const burst = await Promise.all(Array.from({ length: 8 }, () => rerank(depth, 'a')));
    t.deepEqual(new Set(burst), new Set(['timeout']));
    await eventually('the calls end', async () => server.abandoned() === 8);
    t.is(await rerank(depth, 'a'), 'unavailable');
    t.is(server.calls(), 8, 'its own searches are stopped');
    t.is(await rerank(5, 'b'), 'ok');
  }
});

test('great depths that are late do not stop the searches of others', async (t) => {
  const { server, rerank } = await startServer(t, (passages) => passages < GREAT);
  for (let call = 1; call <= 3; call += 1) {
    t.is(await rerank(GREAT, 'a'), 'timeout');
    await eventually('the call ends', async () => server.abandoned() === call);
  }
  t.is(await rerank(GREAT, 'a'), 'unavailable', 'great depths no longer take turns');
  t.is(await rerank(USUAL, 'a'), 'ok');
  t.is(await rerank(GREAT, 'b'), 'timeout');
});
