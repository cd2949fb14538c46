import type { Context } from 'koa';
import type { RequestCount, RequestCounter, RequestCounters } from '#domain/access/request-counter.ts';
import { AppError, type ErrorCode } from '#domain/app-error.ts';
import { isExpiredToken } from '#security/bearer-tokens.ts';
import { parseIpAddress } from '#security/ip-range.ts';
import { memoryCounters, WINDOW_S } from './memory-counters.ts';

/** Requests per minute; 0 means no limit. `perWorkspace`: of all its keys and users together, because keys are made freely. */
export type RequestLimits = { perCaller: number; perWorkspace: number; failuresPerAddress: number };

export type RequestLimiter = {
  /** Counts a request of this caller and of its workspace, and sets the rate limit headers. @throws AppError `rate_limited` */
  countRequest(context: Context, caller: { principal: string; workspaceId: string }): Promise<void>;
  /**
   * Counts a request to a route that needs no credentials by its address, as if that were a caller. Each route counts for itself.
   * @throws AppError `rate_limited`
   */
  countAnonymous(address: string, route: string): Promise<void>;
  /**
   * Runs `authenticate` and counts its failures by address. Beyond the limit a failure becomes `rate_limited`. Valid
   * credentials always pass, so that one client cannot lock out others behind the same address.
   * @throws AppError `rate_limited`, and everything that `authenticate` throws.
   */
  countFailure<Result>(address: string, authenticate: () => Promise<Result>): Promise<Result>;
};

type Counted = { policy: 'requests' | 'workspace'; state: RequestCount };

const IPV6_NETWORK_BYTES = 8;

/** Counts in the memory of this process, or where `counters` do. */
export function createRequestLimiter(
  limits: RequestLimits,
  counters: RequestCounters = memoryCounters,
): RequestLimiter {
  const counter = (name: string, limit: number): RequestCounter | null =>
    limit === 0 ? null : counters.counter(name, limit);
  const callers = counter('requests', limits.perCaller);
  const workspaces = counter('workspace', limits.perWorkspace);
  const failures = counter('failures', limits.failuresPerAddress);
  return {
    async countRequest(context, { principal, workspaceId }) {
      const counted: Counted[] = [];
      if (callers !== null) counted.push({ policy: 'requests', state: await callers.count(principal) });
      // What one of its callers is refused does not count against the others.
      if (workspaces !== null && counted[0]?.state.isOver !== true)
        counted.push({ policy: 'workspace', state: await workspaces.count(workspaceId) });
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
        all(({ state }) => `;r=${state.remaining};t=${secondsOf(state)}`),
      );
      const over = counted.find(({ state }) => state.isOver);
      if (over === undefined) return;
      const whose = over.policy === 'workspace' ? ' of all keys and users of this workspace' : '';
      throw rateLimited(`More than ${quota[over.policy]} requests${whose} in a minute.`, secondsOf(over.state));
    },
    async countAnonymous(address, route) {
      if (callers === null) return;
      const state = await callers.count(`address ${networkOf(address)} ${route}`);
      if (state.isOver) throw rateLimited(`More than ${limits.perCaller} requests in a minute.`, secondsOf(state));
    },
    async countFailure(address, authenticate) {
      try {
        return await authenticate();
      } catch (error) {
        if (failures === null || !isRejection(error)) throw error;
        const state = await failures.count(networkOf(address));
        if (state.isOver) throw rateLimited('Too many failed authentications from this address.', secondsOf(state));
        throw error;
      }
    },
  };
}

const NO_REJECTIONS: readonly ErrorCode[] = ['dependency_unavailable', 'internal', 'validation_failed'];

/**
 * True for a rejection: by the credentials, by the addresses where they are valid, or by the requested workspace, which
 * costs a look-up as well. A dependency that is unavailable is not a rejection, nor is a request that is incomplete. Nobody
 * guessed a token that has expired, and its client has to see that it needs a new one.
 */
function isRejection(error: unknown): boolean {
  return error instanceof AppError && !NO_REJECTIONS.includes(error.code) && !isExpiredToken(error);
}

/**
 * An IPv6 client has 2^64 addresses, so its network counts as one. Otherwise every address would be a fresh start and take
 * memory.
 */
function networkOf(address: string): string {
  const parsed = parseIpAddress(address);
  return parsed?.kind() === 'ipv6' ? parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join('.') : address;
}

function secondsOf({ resetMs }: RequestCount): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}

function rateLimited(message: string, retryAfterS: number): AppError {
  return new AppError('rate_limited', `${message} Retry after the time in Retry-After.`, { retryAfterS });
}
