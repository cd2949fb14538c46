import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '#domain/app-error.ts';
import { parseIpAddress } from '#security/ip-range.ts';

/** Requests in a minute; 0 is no limit. */
export type RequestLimits = { perCaller: number; failuresPerAddress: number };

export type RequestLimiter = {
  /** Counts a request of this caller and says in its headers what is left. @throws AppError `rate_limited` */
  countRequest(context: Context, principal: string): Promise<void>;
  /**
   * Finds out who asks from this address and counts when they are not let in. Beyond the limit a failure is a 429; whoever has good
   * credentials is let through all the same, so that nobody locks out others behind the same address.
   * @throws AppError `rate_limited`, and whatever `authenticate` throws.
   */
  countFailure<Result>(address: string, authenticate: () => Promise<Result>): Promise<Result>;
};

const WINDOW_S = 60;
const POLICY = 'requests';
const IPV6_NETWORK_BYTES = 8;

/** Counts in the memory of this process: with several API processes each allows as many. */
export function createRequestLimiter(limits: RequestLimits): RequestLimiter {
  const callers = counter(limits.perCaller);
  const failures = counter(limits.failuresPerAddress);
  return {
    async countRequest(context, principal) {
      if (callers === null) return;
      const state = await count(callers, principal);
      context.set('RateLimit-Policy', `"${POLICY}";q=${limits.perCaller};w=${WINDOW_S}`);
      context.set('RateLimit', `"${POLICY}";r=${state.remaining};t=${state.resetS}`);
      if (state.isOver) throw limited(`More than ${limits.perCaller} requests in a minute.`, state.resetS);
    },
    async countFailure(address, authenticate) {
      try {
        return await authenticate();
      } catch (error) {
        if (failures === null || !isRefusal(error)) throw error;
        const state = await count(failures, networkOf(address));
        if (state.isOver) throw limited('Too many requests from here that were not let in.', state.resetS);
        throw error;
      }
    },
  };
}

/**
 * Not let in: by the credentials, by where they may be used, or by the workspace that was asked for, which costs a look-up
 * as well. Away is not refused.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'dependency_unavailable' && error.code !== 'internal';
}

/** Whoever has IPv6 has 2^64 addresses: their network counts as one, else each of them would be a fresh start, and take memory. */
function networkOf(address: string): string {
  const parsed = parseIpAddress(address);
  return parsed?.kind() === 'ipv6' ? parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join('.') : address;
}

function counter(points: number): RateLimiterMemory | null {
  return points === 0 ? null : new RateLimiterMemory({ points, duration: WINDOW_S });
}

async function count(limiter: RateLimiterMemory, key: string) {
  try {
    return stateOf(await limiter.consume(key), false);
  } catch (error) {
    // The library throws the state itself when there is nothing left.
    if (error instanceof RateLimiterRes) return stateOf(error, true);
    throw error;
  }
}

function stateOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean) {
  return { remaining: remainingPoints, resetS: Math.max(1, Math.ceil(msBeforeNext / 1000)), isOver };
}

function limited(message: string, retryAfterS: number): AppError {
  return new AppError('rate_limited', `${message} Wait as long as Retry-After says.`, { retryAfterS });
}
