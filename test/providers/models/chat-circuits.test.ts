import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { ChatCircuits } from '#providers/models/chat-circuits.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

/** Short, because each question to a silent server waits for it. */
const TIMEOUT_MS = 500;
/** Failures in a row after which a model is not asked. */
const FAILURES = 3;
const SILENCE = new Promise<never>(() => undefined);

/** A chat server, and a function that asks its model for a workspace, and returns the answer or the error. */
async function open(t: ExecutionContext, behaviour: ChatBehaviour, timeoutMs = TIMEOUT_MS) {
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const model = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs });
  if (model === null) throw new Error('a model is configured');
  const circuits = new ChatCircuits();
  const ask = async (share: string, material: string, asked: { kind?: string; signal?: AbortSignal } = {}) => {
    const question = { instructions: 'Be brief.', material, maxOutputTokens: 50 };
    const call = () => model.complete(question, asked.signal);
    return circuits.run(call, { share, kind: 'summary', ...asked }).catch((error: unknown) => error);
  };
  const askTimes = async (times: number, ...how: Parameters<typeof ask>) => {
    for (let call = 0; call < times; call += 1) await ask(...how);
  };
  return { ask, askTimes, requests: server.requests };
}

test('a workspace whose questions are not answered asks one at a time after a pause; its other questions and others go on', async (t) => {
  const { ask, askTimes, requests } = await open(t, ({ material }) => (material === 'long' ? SILENCE : 'Brief.'));
  await askTimes(FAILURES, 'a', 'long');
  t.is(requests.length, FAILURES);
  const refusal = await ask('a', 'long');
  t.is(requests.length, FAILURES, 'the model is not asked');
  if (!(refusal instanceof AppError)) throw new TypeError('expected an error');
  t.is(refusal.code, 'dependency_unavailable');
  t.true((refusal.retryDelayS ?? 0) >= 1);
  t.is(await ask('a', 'short', { kind: 'memories' }), 'Brief.');
  t.is(await ask('b', 'short'), 'Brief.');
  const before = requests.length;
  await eventually('the pause is over', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ask('a', 'long')));
    return requests.length > before;
  });
  t.is(requests.length, before + 1, 'one of five questions at once is asked');
  await eventually('a question that is answered ends the pauses', async () => (await ask('a', 'short')) === 'Brief.');
  t.is(await ask('a', 'short'), 'Brief.');
});

test('a server that is silent to three workspaces is not asked by others either', async (t) => {
  const { askTimes, requests } = await open(t, () => SILENCE);
  await askTimes(2, 'a', 'one');
  await askTimes(1, 'b', 'two');
  await askTimes(1, 'c', 'three');
  await askTimes(1, 'd', 'four');
  t.is(requests.length, 4);
});

test('a server that says that it is overloaded is asked by nobody for a while, one that fails at questions by others', async (t) => {
  for (const { status, others } of [
    { status: 503, others: 0 },
    { status: 500, others: 1 },
  ]) {
    const { askTimes, requests } = await open(t, () => ({ status }));
    await askTimes(FAILURES, 'a', 'one');
    await askTimes(1, 'a', 'two');
    t.is(requests.length, FAILURES);
    await askTimes(1, 'b', 'three');
    t.is(requests.length, FAILURES + others, String(status));
  }
});

test('a server that asks to wait is not asked before', async (t) => {
  const { ask, requests } = await open(t, () => ({ status: 429, headers: { 'retry-after': '300' } }));
  await ask('a', 'one');
  const refusal = await ask('b', 'two');
  t.is(requests.length, 1);
  t.true(refusal instanceof AppError && refusal.retryDelayS !== null && refusal.retryDelayS > 60);
});

test('a question that the model rejects, and one that is given up, are no failures of the model', async (t) => {
  const { ask, askTimes, requests } = await open(
    t,
    ({ material }) => (material === 'bad' ? { status: 400 } : SILENCE),
    60_000,
  );
  await askTimes(2 * FAILURES, 'a', 'bad');
  t.is(requests.length, 2 * FAILURES);
  for (let asked = requests.length + 1; asked <= 3 * FAILURES + 1; asked += 1) {
    const stop = new AbortController();
    const answer = ask('a', 'any', { signal: stop.signal });
    await eventually('the model is asked', async () => requests.length === asked);
    stop.abort();
    await answer;
  }
  t.is(requests.length, 3 * FAILURES + 1);
});
