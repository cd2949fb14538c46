/** The fence of a credential: its last exchange, as the next attempt finds it. */
export type RefreshFence = {
  run_id: string;
  version: number;
  state: 'sending' | 'done' | 'refused' | 'unavailable';
  sends: number;
};

export type RefreshFacts = {
  /** The workflow run that refreshes; retries of its activity share the id. */
  run_id: string;
  /** Version of the credential now. */
  version: number;
  /** A refresh succeeded a moment ago. */
  is_fresh: boolean;
  has_refresh_token: boolean;
  fence: RefreshFence | null;
};

export type RefreshDecision =
  | { action: 'send'; sends: number }
  /** `done_by_this_run`: an earlier attempt of this run wrote the tokens, and its worker died before it could report that. */
  | { action: 'skip'; reason: 'done_by_this_run' | 'fresh' | 'no_refresh_token' | 'unknown_twice' };

/** How often one run sends the same refresh token when the outcome is unknown. */
const MAX_SENDS = 2;

/**
 * Decides whether a refresh token is sent now. When the outcome of a send is unknown (the worker died, the connection broke),
 * the run sends the old token once more: a provider that does not rotate refresh tokens, or allows a grace period, accepts it.
 */
export function decideRefresh({ run_id, version, is_fresh, has_refresh_token, fence }: RefreshFacts): RefreshDecision {
  const isOfThisRun = fence !== null && fence.run_id === run_id;
  if (isOfThisRun && fence.state === 'done' && version > fence.version) {
    return { action: 'skip', reason: 'done_by_this_run' };
  }
  if (is_fresh) return { action: 'skip', reason: 'fresh' };
  if (!has_refresh_token) return { action: 'skip', reason: 'no_refresh_token' };
  const isUnknown = isOfThisRun && fence.version === version && fence.state === 'sending';
  if (isUnknown && fence.sends >= MAX_SENDS) return { action: 'skip', reason: 'unknown_twice' };
  return { action: 'send', sends: isUnknown ? fence.sends + 1 : 1 };
}

const MIN_REFRESH_DELAY_S = 60;
const MAX_LEAD_S = 15 * 60;

/**
 * Returns when the schedule refreshes a token with this lifetime, as Unix milliseconds: after three to four fifths of the
 * lifetime, and at most half an hour before it expires. `random` (0 to 1) spreads the times, so that tokens of one hour are not
 * all due in the same minute. At least a minute after receipt.
 */
export function scheduledRefreshMs(receivedMs: number, lifetimeS: number, random: number): number {
  const leadS = Math.min(lifetimeS / 5, MAX_LEAD_S) * (1 + random);
  return receivedMs + 1000 * Math.max(lifetimeS - leadS, MIN_REFRESH_DELAY_S);
}

const MIN_RETRY_DELAY_S = 60;
const MAX_RETRY_DELAY_S = 6 * 3600;

/**
 * Returns the seconds until the schedule retries a provider that has been failing for `failingS`: as long again, so after 1, 2,
 * 4 … minutes up to 6 h, spread by `random`. It depends on time and not on the number of failures, because a run makes several
 * attempts and clients may start runs of their own.
 */
export function scheduleRetryDelayS(failingS: number, random: number): number {
  return Math.min(Math.max(failingS, MIN_RETRY_DELAY_S), MAX_RETRY_DELAY_S) * (1 + random / 5);
}
