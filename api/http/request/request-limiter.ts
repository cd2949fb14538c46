import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '#domain/app-error.ts';
import { parseIpAddress } from '#security/ip-range.ts';

/** Requests per minute; 0 means no limit. `perWorkspace`: of all its keys and users together, because keys are made freely. */
export type RequestLimits = { perCaller: number; perWorkspace: number; failuresPerAddress: number };

export type RequestLimiter = {
  /** Counts a request of this caller and of its workspace, and sets the rate limit headers. @throws AppError `rate_limited` */
  countRequest(context: Context, caller: { principal: string; workspaceId: string }): Promise<void>;
  /** Counts a request that needs no credentials by its address, as if that were a caller. @throws AppError `rate_limited` */
  countAnonymous(address: string): Promise<void>;
  /**
   * Runs `authenticate` and counts its failures by address. Beyond the limit a failure becomes `rate_limited`. Valid
   * credentials always pass, so that one client cannot lock out others behind the same address.
   * @throws AppError `rate_limited`, and everything that `authenticate` throws.
   */
  countFailure<Result>(address: string, authenticate: () => Promise<Result>): Promise<Result>;
};

type Counted = { policy: 'requests' | 'workspace'; state: ReturnType<typeof stateOf> };

const WINDOW_S = 60;
const IPV6_NETWORK_BYTES = 8;

/** Counts in the memory of this process: with several API processes, each has limits of its own. */
export function createRequestLimiter(limits: RequestLimits): RequestLimiter {
  const callers = createCounter(limits.perCaller);
  const workspaces = createCounter(limits.perWorkspace);
  const failures = createCounter(limits.failuresPerAddress);
  return {
    async countRequest(context, { principal, workspaceId }) {
      const counted: Counted[] = [];
      if (callers !== null) counted.push({ policy: 'requests', state: await count(callers, principal) });
      // What one of its callers is refused does not count against the others.
      if (workspaces !== null && counted[0]?.state.isOver !== true)
        counted.push({ policy: 'workspace', state: await count(workspaces, workspaceId) });
      if (counted.length === 0) return;
      const quota = { requests: limits.perCaller, workspace: limits.perWorkspace };
      const all = (describe: (one: Counted) => string) =>
        counted.map((one) => `"${one.policy}"${describe(one)}`).join(', ');
      context.set(
        'RateLimit-Policy',
        all(({ policy }) => `;q=${quota[policy]};w=${WINDOW_S}`),
      );
      context.set(
        'RateLimit',
        all(({ state }) => `;r=${state.remaining};t=${state.resetS}`),
      );
      const over = counted.find(({ state }) => state.isOver);
      if (over === undefined) return;
      const whose = over.policy === 'workspace' ? ' of all keys and users of this workspace' : '';
      throw rateLimited(`More than ${quota[over.policy]} requests${whose} in a minute.`, over.state.resetS);
    },
    async countAnonymous(address) {
      if (callers === null) return;
      const state = await count(callers, `address ${networkOf(address)}`);
      if (state.isOver) throw rateLimited(`More than ${limits.perCaller} requests in a minute.`, state.resetS);
    },
    async countFailure(address, authenticate) {
      try {
        return await authenticate();
      } catch (error) {
        if (failures === null || !isRejection(error)) throw error;
        const state = await count(failures, networkOf(address));
        if (state.isOver) throw rateLimited('Too many failed authentications from this address.', state.resetS);
        throw error;
      }
    },
  };
}

/**
 * True for a rejection: by the credentials, by the addresses where they are valid, or by the requested workspace, which
 * costs a look-up as well. A dependency that is unavailable is not a rejection.
 */
function isRejection(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'dependency_unavailable' && error.code !== 'internal';
}

/**
 * An IPv6 client has 2^64 addresses, so its network counts as one. Otherwise every address would be a fresh start and take
 * memory.
 */
function networkOf(address: string): string {
  const parsed = parseIpAddress(address);
  return parsed?.kind() === 'ipv6' ? parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join('.') : address;
}

function createCounter(points: number): RateLimiterMemory | null {
  return points === 0 ? null : new RateLimiterMemory({ points, duration: WINDOW_S });
}

async function count(limiter: RateLimiterMemory, key: string) {
  try {
    return stateOf(await limiter.consume(key), false);
  } catch (error) {
    // The library throws the state itself when no points are left.
    if (error instanceof RateLimiterRes) return stateOf(error, true);
    throw error;
  }
}

function stateOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean) {
  return { remaining: remainingPoints, resetS: Math.max(1, Math.ceil(msBeforeNext / 1000)), isOver };
}

function rateLimited(message: string, retryAfterS: number): AppError {
  return new AppError('rate_limited', `${message} Retry after the time in Retry-After.`, { retryAfterS });
}
