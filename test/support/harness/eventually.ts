import { setTimeout as delay } from 'node:timers/promises';

type PollOptions = { timeoutMs?: number; everyMs?: number };

/** Long, because nothing is gained by a test that gives up early on a busy machine; below the time limit of a test. */
const TIMEOUT_MS = 150_000;
const EVERY_MS = 100;

/**
 * Polls until `ask` returns a value other than null, undefined and false, and returns it. A call that throws is repeated, because
 * the server may be unavailable for a moment.
 * @param what the condition, as the error names it
 * @throws Error with the last failure as its cause on timeout
 */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | null | undefined | false>,
  { timeoutMs = TIMEOUT_MS, everyMs = EVERY_MS }: PollOptions = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline)
      throw new Error(`timed out after ${timeoutMs / 1000} s: ${what}`, { cause: failure });
    await delay(everyMs);
  }
}

/** Polls until `isDone` accepts the value of `read`. @throws Error with the last value after `timeoutMs`; errors of `read` at once. */
export async function until<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  timeoutMs = TIMEOUT_MS,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`timed out after ${timeoutMs / 1000} s; the last value was ${JSON.stringify(value)}`);
    await delay(50);
  }
}
