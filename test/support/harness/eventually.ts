import { setTimeout as delay } from 'node:timers/promises';

export type Patience = { timeoutMs?: number; everyMs?: number };

const TIMEOUT_MS = 90_000;
const EVERY_MS = 100;

/**
 * Asks until there is an answer: anything but null, undefined and false. A question that fails is asked again, for what it
 * asks may just be away.
 * @param what what is waited for, as the error names it
 * @throws Error with the last failure when the time was not enough
 */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | null | undefined | false>,
  { timeoutMs = TIMEOUT_MS, everyMs = EVERY_MS }: Patience = {},
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
      throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`, { cause: failure });
    await delay(everyMs);
  }
}
