import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { ServerCircuit } from '#providers/embedders/server-circuit.ts';

const NEVER = new AbortController().signal;

/** A circuit with a clock and a server that the test controls. */
function controlledCircuit() {
  const state = { nowMs: 0, calls: 0, answer: (): Promise<string> => Promise.resolve('fine') };
  const circuit = new ServerCircuit(() => state.nowMs);
  const call = (signal = NEVER): Promise<string> =>
    circuit.run(() => {
      state.calls += 1;
      return state.answer();
    }, signal);
  /** Calls until a call is refused; returns how many reached the server, and the refusal. */
  const callUntilRefused = async () => {
    for (let reached = 0; ; reached++) {
      const before = state.calls;
      const error = await call().catch((thrown: unknown) => thrown);
      if (state.calls === before && error instanceof AppError) return { reached, error };
    }
  };
  return { state, call, callUntilRefused };
}

const fail = (options: { retryDelayS?: number } = {}) =>
  Promise.reject(new AppError('dependency_unavailable', 'It answered HTTP 500.', options));

test('pauses after three failures, probes once, and doubles the pause up to a minute', async (t) => {
  const { state, callUntilRefused } = controlledCircuit();
  state.answer = () => fail();
  const first = await callUntilRefused();
  t.is(first.reached, 3);
  t.is(first.error.retryDelayS, 1);
  t.regex(first.error.message, /HTTP 500.*1 s/);
  const pauses: (number | null)[] = [];
  for (let probe = 0; probe < 8; probe++) {
    state.nowMs += (pauses.at(-1) ?? 1) * 1000;
    const { reached, error } = await callUntilRefused();
    t.is(reached, 1);
    pauses.push(error.retryDelayS);
  }
  t.deepEqual(pauses, [2, 4, 8, 16, 32, 60, 60, 60]);
});

test('lets one probe through at a time, and everything once it succeeds', async (t) => {
  const { state, call, callUntilRefused } = controlledCircuit();
  state.answer = () => fail();
  await callUntilRefused();
  state.nowMs += 1_000;
  const probe = Promise.withResolvers<string>();
  state.answer = () => probe.promise;
  const probing = call();
  await t.throwsAsync(call(), { code: 'dependency_unavailable' });
  probe.resolve('back');
  t.is(await probing, 'back');
  t.deepEqual(await Promise.all([call(), call()]), ['back', 'back']);
});

test('waits as long as the server asks, without counting that as a failure', async (t) => {
  const { state, call, callUntilRefused } = controlledCircuit();
  state.answer = () => fail({ retryDelayS: 30 });
  t.is((await callUntilRefused()).reached, 1);
  state.nowMs += 29_500;
  t.is((await callUntilRefused()).error.retryDelayS, 1);
  state.nowMs += 500;
  state.answer = () => Promise.resolve('fine');
  t.deepEqual(await Promise.all([call(), call()]), ['fine', 'fine']);
});

test('counts neither rejected texts nor calls that were given up', async (t) => {
  const { state, call } = controlledCircuit();
  const givenUp = AbortSignal.abort(new Error('gone'));
  for (let round = 0; round < 5; round++) {
    state.answer = () => fail();
    await t.throwsAsync(call());
    await t.throwsAsync(call(givenUp));
    await t.throwsAsync(call(givenUp));
    state.answer = () => Promise.reject(new AppError('embedding_rejected', 'It rejected the text.'));
    await t.throwsAsync(call(), { code: 'embedding_rejected' });
  }
  t.is(state.calls, 20);
});
