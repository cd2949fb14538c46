import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RequestCount, RequestCounters } from '#domain/access/request-counter.ts';

export const WINDOW_S = 60;

/** Counts in the memory of this process: with several API processes, each has limits of its own. */
export const memoryCounters: RequestCounters = {
  counter: (_name, limit) => {
    const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_S });
    return { count: (key) => consume(limiter, key) };
  },
};

/** Counts one for the key. @throws what the store of the limiter throws */
export async function consume(limiter: RateLimiterAbstract, key: string): Promise<RequestCount> {
  try {
    return countOf(await limiter.consume(key), false);
  } catch (error) {
    // The library throws the state itself when no points are left.
    if (error instanceof RateLimiterRes) return countOf(error, true);
    throw error;
  }
}

function countOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): RequestCount {
  return { remaining: remainingPoints, resetMs: msBeforeNext, isOver };
}
