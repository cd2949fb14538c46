import { z } from 'zod';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { oauthRefreshJob, type RefreshResult } from '#domain/connections/oauth-refresh.ts';
import { refreshTokenOf } from '#domain/connections/credential-tokens.ts';
import type { RefreshAnswer } from '#domain/records/oauth.ts';
import type { RefreshableConnection } from '#store/connections/credential-refresh.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { resolveOAuthSettings } from './oauth-settings.ts';
import { openCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/** Longest that a caller waits for the run, which goes on without it: less than what most clients wait for an answer. */
const WAIT_MS = 25_000;
const RETRY_AFTER_S = 5;

/** What a workflow of ours returned; one of another version may say something else. */
const Result: z.ZodType<RefreshResult> = z.union([
  z.object({ kind: z.enum(['refreshed', 'fresh', 'no_refresh_token', 'gone', 'superseded']) }),
  z.object({ kind: z.literal('refused'), status: z.enum(['expired', 'error']), code: z.string() }),
  z.object({ kind: z.literal('unavailable'), code: z.string(), retry_after_s: z.number().nullable() }),
]);

/**
 * Has the tokens of a connection refreshed, by the one run that there is for it, and waits for that. A refresh that succeeded
 * less than ten seconds ago answers at once.
 * @throws AppError `not_found`, `conflict` (nothing to refresh with, or the provider refused), `dependency_unavailable` (the
 *   provider does not answer: the run goes on).
 */
export async function refreshConnection(services: Services, caller: Caller, id: string): Promise<RefreshAnswer> {
  const { scope } = caller;
  const connection = await services.stores.connections.find(scope, id, connectionAccess(caller));
  if (!connection) throw connectionNotFound();
  const before = await services.stores.credentialRefreshes.find(scope, id);
  if (!before) throw nothingToRefresh();
  if (before.is_fresh) return toAnswer(before);
  if (before.is_just_refused) throw refusal(before.fence?.failure_code ?? 'unknown_error');
  const credentials = openCredentials(services, scope, { id: before.credential_id, sealed: before.sealed });
  if (refreshTokenOf(credentials) === null) throw nothingToRefresh();
  await resolveOAuthSettings(services, scope, { ...before, credentials });
  const job = oauthRefreshJob({ workspace_id: scope.workspaceId, connection_id: id });
  const ended = await services.jobs.join(job, WAIT_MS);
  if (ended === null) throw unavailable('The provider has not answered yet', null);
  return answerOf(services, caller, { id, result: Result.parse(ended.result) });
}

async function answerOf(
  services: Services,
  caller: Caller,
  { id, result }: { id: string; result: RefreshResult },
): Promise<RefreshAnswer> {
  switch (result.kind) {
    case 'refreshed':
    case 'fresh':
    // Somebody put new credentials while the old ones were refreshed: theirs count.
    case 'superseded': {
      const after = await services.stores.credentialRefreshes.find(caller.scope, id);
      if (!after) throw connectionNotFound();
      return toAnswer(after);
    }
    case 'no_refresh_token':
      throw nothingToRefresh();
    case 'gone':
      throw connectionNotFound();
    case 'refused':
      throw refusal(result.code);
    case 'unavailable':
      throw unavailable(`The provider cannot be reached (${result.code})`, result.retry_after_s);
    default:
      return assertNever(result);
  }
}

function toAnswer({ id, status, expires_at }: RefreshableConnection): RefreshAnswer {
  return { status, connection_id: id, expires_at: expires_at?.toISOString() ?? null };
}

function nothingToRefresh(): AppError {
  return new AppError(
    'conflict',
    'The connection has no refresh token: authorize it with POST /oauth/authorize/{connection_id}, or send credentials that have one.',
  );
}

function refusal(code: string): AppError {
  return new AppError(
    'conflict',
    `The provider refused to refresh the tokens (${code}). GET /oauth/refresh/{connection_id} says what to do.`,
  );
}

function unavailable(what: string, retryAfterS: number | null): AppError {
  return new AppError('dependency_unavailable', `${what}; it is tried again. Ask again after Retry-After.`, {
    retryAfterS: Math.max(RETRY_AFTER_S, retryAfterS ?? 0),
  });
}
