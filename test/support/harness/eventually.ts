import { setTimeout as delay } from 'node:timers/promises';

type PollOptions = {
  timeoutMs?: number;
  /** For what passes quickly; by default, the longer it takes, the longer the pauses are. */
  everyMs?: number;
};

/** Long, because nothing is gained by a test that gives up early on a busy machine; below the time limit of a test. */
const TIMEOUT_MS = 150_000;
const MIN_EVERY_MS = 50;
const MAX_EVERY_MS = 250;

/**
 * The pause before the next poll: a twentieth of the time so far. Every poll costs the test, the API and Postgres processor time,
 * which what the test waits for needs, too.
 */
function pauseMs(startedAt: number): number {
  return Math.min(MAX_EVERY_MS, Math.max(MIN_EVERY_MS, (performance.now() - startedAt) / 20));
}

/**
 * Polls until `ask` returns a value other than null, undefined and false, and returns it. A call that throws is repeated, because
 * the server may be unavailable for a moment.
 * @param what the condition, as the error names it
 * @throws Error with the last failure as its cause on timeout
 */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | null | undefined | false>,
  { timeoutMs = TIMEOUT_MS, everyMs }: PollOptions = {},
): Promise<Value> {
  const startedAt = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > startedAt + timeoutMs)
      throw new Error(`timed out after ${timeoutMs / 1000} s: ${what}`, { cause: failure });
    await delay(everyMs ?? pauseMs(startedAt));
  }
}

/** Polls until `isDone` accepts the value of `read`. @throws Error with the last value after `timeoutMs`; errors of `read` at once. */
export async function until<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  timeoutMs = TIMEOUT_MS,
): Promise<Value> {
  const startedAt = performance.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (performance.now() > startedAt + timeoutMs)
      throw new Error(`timed out after ${timeoutMs / 1000} s; the last value was ${JSON.stringify(value)}`);
    await delay(pauseMs(startedAt));
  }
}
