import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Arguments, results and activities of the workflows that refresh tokens. Imported by workflows: no zod, no I/O. */

export type OAuthRefreshArgs = { workspace_id: string; connection_id: string };

/** The credential version that an exchange is for. */
export type RefreshTarget = OAuthRefreshArgs & { credential_id: string; run_id: string; version: number };

/**
 * Outcome of sending a refresh token. `sealed` is the whole credential as ciphertext for its row. It is the only secret that a
 * workflow history may hold: without it, a token that the provider rotated would be lost when Postgres is down.
 */
export type SentExchange = { target: RefreshTarget; provider: string } & (
  | { kind: 'tokens'; sealed: string; expires_at: string | null; is_assumed: boolean; due_at: string | null }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | {
      kind: 'unavailable';
      code: string;
      is_unknown: boolean;
      /** How often this run has sent the token without a known outcome. */
      sends: number;
      retry_after_s: number | null;
    }
);

/**
 * Nothing was sent. `fresh`: the tokens are new, or this run has refreshed them already. `gone`: the connection was deleted or
 * has no credentials any more.
 */
export type SkippedExchange = { kind: 'fresh' | 'no_refresh_token' | 'gone' };

export type ExchangeOutcome = SentExchange | SkippedExchange;

/** Result of the workflow. `superseded`: new credentials were stored during the refresh. */
export type RefreshResult =
  | { kind: 'refreshed' | 'fresh' | 'no_refresh_token' | 'gone' | 'superseded' }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | { kind: 'unavailable'; code: string; retry_after_s: number | null };

/** `workspace_id` is null for all workspaces; `more` is true when further connections are due. */
export type DueRefreshesArgs = { workspace_id: string | null };
export type DueRefreshesPage = { started: number; more: boolean };

export type OAuthSteps = {
  /** Sends the refresh token and stores the tokens of the response at once. */
  exchangeTokens(args: OAuthRefreshArgs & { run_id: string }): Promise<ExchangeOutcome>;
  /** Stores the outcome of an exchange unless it is stored already; compares the version, so that nothing newer is overwritten. */
  persistRefresh(args: { workspace_id: string; outcome: SentExchange }): Promise<RefreshResult>;
  /** Starts the workflows of a batch of connections that are due. */
  startDueRefreshes(args: DueRefreshesArgs): Promise<DueRefreshesPage>;
};

/** The workflow that refreshes a connection. Its id allows one run per connection at a time. */
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

/** Delays before the next attempt within one run, in seconds. After the last one the run ends; the schedule retries later. */
const RETRY_DELAYS_S = [1, 2, 4, 8, 16];
const MAX_RETRY_DELAY_S = 60;

/** Returns the seconds until a run's next attempt after so many failed ones; null when the run should end. */
export function runRetryDelayS(attempts: number, retryAfterS: number | null): number | null {
  const delayS = RETRY_DELAYS_S[attempts - 1];
  if (delayS === undefined || (retryAfterS ?? 0) > MAX_RETRY_DELAY_S) return null;
  return Math.max(delayS, retryAfterS ?? 0);
}
