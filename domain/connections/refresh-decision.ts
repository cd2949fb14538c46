/** The fence of a credential, as the one who comes next finds it. */
export type RefreshFence = {
  run_id: string;
  version: number;
  state: 'sending' | 'done' | 'refused' | 'unavailable';
  sends: number;
};

export type RefreshFacts = {
  /** The run that asks; all attempts of it are one. */
  run_id: string;
  /** Of the credential as it is now. */
  version: number;
  /** It was refreshed a moment ago. */
  is_fresh: boolean;
  has_refresh_token: boolean;
  fence: RefreshFence | null;
};

export type RefreshDecision =
  | { do: 'send'; sends: number }
  /** This very run has done it, and did not live to tell. */
  | { do: 'answer'; as: 'mine' | 'fresh' | 'no_refresh_token' | 'unknown_twice' };

/** After the first time without an outcome the old token is sent once more, in one run. */
const MAX_SENDS = 2;

/**
 * Whether a refresh token is sent now. An outcome that nobody knows (the worker died, the connection broke) is asked for once
 * more with the old token: a provider that does not rotate, or gives grace, answers it.
 */
export function decideRefresh({ run_id, version, is_fresh, has_refresh_token, fence }: RefreshFacts): RefreshDecision {
  const isOfThisRun = fence !== null && fence.run_id === run_id;
  if (isOfThisRun && fence.state === 'done' && version > fence.version) return { do: 'answer', as: 'mine' };
  if (is_fresh) return { do: 'answer', as: 'fresh' };
  if (!has_refresh_token) return { do: 'answer', as: 'no_refresh_token' };
  const isOpen = isOfThisRun && fence.version === version && fence.state === 'sending';
  if (isOpen && fence.sends >= MAX_SENDS) return { do: 'answer', as: 'unknown_twice' };
  return { do: 'send', sends: isOpen ? fence.sends + 1 : 1 };
}

const MIN_REFRESH_DELAY_S = 60;
const MAX_LEAD_S = 15 * 60;

/**
 * When the schedule refreshes a token that lives so long: after three to four fifths of its life, at most half an hour before its
 * end, spread by `random` (0 to 1), so that tokens of one hour are not all due in one minute. At least a minute from now.
 */
export function scheduledRefreshMs(receivedMs: number, lifetimeS: number, random: number): number {
  const leadS = Math.min(lifetimeS / 5, MAX_LEAD_S) * (1 + random);
  return receivedMs + 1000 * Math.max(lifetimeS - leadS, MIN_REFRESH_DELAY_S);
}

const MIN_RETRY_DELAY_S = 60;
const MAX_RETRY_DELAY_S = 6 * 3600;

/**
 * Seconds until the schedule tries a provider again that has been failing for so long: as long again, so after 1 min, 2, 4 … 6 h,
 * spread by `random`. By time and not by failures, for a run makes several tries, and anybody may ask for one.
 */
export function scheduleRetryDelayS(failingS: number, random: number): number {
  return Math.min(Math.max(failingS, MIN_RETRY_DELAY_S), MAX_RETRY_DELAY_S) * (1 + random / 5);
}
