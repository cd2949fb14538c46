import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RequestCounter, RequestCounters } from '#domain/access/request-counter.ts';
import type { Log } from '#observability/log.ts';
import { consume, memoryCounters, WINDOW_S } from './memory-counters.ts';

/** What every limiter is created with; keys over the limit are remembered, so that a flood does not reach the store. */
export type SharedLimiterOptions = {
  keyPrefix: string;
  points: number;
  duration: number;
  inMemoryBlockOnConsumed: number;
};

/** A request does not wait longer for the store. */
const TIMEOUT_MS = 500;
/** After a failure, the store is asked again after this time. */
const RETRY_MS = 5_000;
/** Longer keys, such as names of users, are hashed. */
const MAX_KEY_CHARACTERS = 100;

/**
 * Counts in a store that several API processes share. While it does not answer, each process counts by itself, from zero,
 * so that a broken store neither stops requests nor lifts the limits.
 */
export function sharedCounters(
  createLimiter: (options: SharedLimiterOptions) => RateLimiterAbstract,
  log: Log,
  lastError: () => string | null = () => null,
): RequestCounters {
  const availability = trackAvailability(log, lastError);
  return {
    counter(name, limit): RequestCounter {
      const limiter = createLimiter({
        keyPrefix: `loci:${name}`,
        points: limit,
        duration: WINDOW_S,
        inMemoryBlockOnConsumed: limit,
      });
      const own = memoryCounters.counter(name, limit);
      return {
        async count(key) {
          if (availability.isAway()) return own.count(key);
          try {
            const counted = await orTimeout(consume(limiter, shortKey(key)));
            availability.noteAnswer();
            return counted;
          } catch (error) {
            availability.noteFailure(error);
            return own.count(key);
          }
        },
      };
    },
  };
}

/** `lastError`: why there is no connection, which a command that fails does not know. */
function trackAvailability(log: Log, lastError: () => string | null) {
  let awayUntilMs = 0;
  let isReported = false;
  return {
    isAway: () => performance.now() < awayUntilMs,
    noteAnswer(): void {
      if (isReported) log.info({ component: 'request limits' }, 'the store of request limits answers again');
      isReported = false;
    },
    noteFailure(error: unknown): void {
      awayUntilMs = performance.now() + RETRY_MS;
      if (isReported) return;
      isReported = true;
      log.warn(
        { error, reason: lastError() ?? undefined, component: 'request limits' },
        'the store of request limits does not answer: until it does, this process counts by itself',
      );
    },
  };
}

async function orTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const late = async () => {
    await delay(TIMEOUT_MS, undefined, { signal: ended.signal });
    throw new Error(`no answer within ${TIMEOUT_MS} ms`);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    ended.abort();
  }
}

function shortKey(key: string): string {
  return key.length <= MAX_KEY_CHARACTERS ? key : createHash('sha256').update(key).digest('hex');
}
