import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Names, arguments and steps of the workflows that refresh tokens. Imported by workflows: no zod, no I/O. */

export type OAuthRefreshArgs = { workspace_id: string; connection_id: string };

/** What was sent for, by ids. */
export type RefreshTarget = OAuthRefreshArgs & { credential_id: string; run_id: string; version: number };

/**
 * What came of sending a token. `sealed` is the whole credential as ciphertext for its row: the only secret that a history
 * may hold, for without it a token that the provider changed would be lost while Postgres is away.
 */
export type SentExchange = { target: RefreshTarget; provider: string } & (
  | { kind: 'tokens'; sealed: string; expires_at: string | null; is_assumed: boolean; due_at: string | null }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | {
      kind: 'unavailable';
      code: string;
      is_unknown: boolean;
      /** How often the token was sent in this run without a known outcome. */
      sends: number;
      retry_after_s: number | null;
    }
);

/**
 * Nothing was sent: the tokens are fresh, or this run has refreshed them before; there is nothing to refresh with; the
 * connection was deleted, or has no credentials any more.
 */
export type SkippedExchange = { kind: 'fresh' | 'no_refresh_token' | 'gone' };

export type ExchangeOutcome = SentExchange | SkippedExchange;

/** What a run came to, as whoever waits for it is told. */
export type RefreshResult =
  | { kind: 'refreshed' | 'fresh' | 'no_refresh_token' | 'gone' | 'superseded' }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | { kind: 'unavailable'; code: string; retry_after_s: number | null };

/** `workspace_id` null for all workspaces; `more` when others are due as well. */
export type DueRefreshesArgs = { workspace_id: string | null };
export type DueRefreshesPage = { started: number; more: boolean };

export type OAuthSteps = {
  /** Sends the refresh token and writes what comes back at once. */
  exchangeTokens(args: OAuthRefreshArgs & { run_id: string }): Promise<ExchangeOutcome>;
  /** Writes what an exchange came to, where it is not written; compares the version, so that nothing newer is lost. */
  persistRefresh(args: { workspace_id: string; outcome: SentExchange }): Promise<RefreshResult>;
  /** Starts the runs of what is due, some at a time. */
  startDueRefreshes(args: DueRefreshesArgs): Promise<DueRefreshesPage>;
};

/** One run a connection, whoever asks. */
export function oauthRefreshJob(args: OAuthRefreshArgs): JobStart {
  return {
    workflow_type: 'oauthRefresh',
    workflow_id: `oauth-refresh/${args.connection_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Refresh the tokens of connection ${args.connection_id}`,
  };
}

/** Pauses before the next try within one run, in seconds; after the last one the run ends and the schedule goes on. */
const RETRY_DELAYS_S = [1, 2, 4, 8, 16];
const MAX_RETRY_DELAY_S = 60;

/** Seconds to wait after so many tries in vain; null when this run has tried enough. */
export function runRetryDelayS(tries: number, retryAfterS: number | null): number | null {
  const pauseS = RETRY_DELAYS_S[tries - 1];
  if (pauseS === undefined || (retryAfterS ?? 0) > MAX_RETRY_DELAY_S) return null;
  return Math.max(pauseS, retryAfterS ?? 0);
}
