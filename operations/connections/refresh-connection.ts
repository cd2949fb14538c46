import { z } from 'zod';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import { oauthRefreshJob, type RefreshResult } from '#domain/connections/oauth-refresh.ts';
import { refreshTokenOf } from '#domain/connections/credential-tokens.ts';
import type { RefreshAnswer } from '#domain/records/oauth.ts';
import type { RefreshableConnection } from '#store/connections/credential-refresh.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { resolveOAuthSettings, type OAuthConnection } from './oauth-settings.ts';
import { openCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/** How long a request waits for the workflow, which continues without it: less than most clients wait for a response. */
const WAIT_MS = 25_000;
const RETRY_AFTER_S = 5;
/** The code of a refusal for want of a usable OAuth client, which may exist by the next request. */
const NO_CLIENT = 'no_client';

/** The result of the workflow, parsed because a workflow of another version may return something else. */
const Result: z.ZodType<RefreshResult> = z.union([
  z.object({ kind: z.enum(['refreshed', 'fresh', 'no_refresh_token', 'gone', 'superseded']) }),
  z.object({ kind: z.literal('refused'), status: z.enum(['expired', 'error']), code: z.string() }),
  z.object({ kind: z.literal('unavailable'), code: z.string(), retry_after_s: z.number().nullable() }),
]);

/**
 * Refreshes the tokens of a connection: starts its `oauthRefresh` workflow, or joins the running one, and waits for the result.
 * When a refresh ended less than ten seconds ago, its result is returned at once.
 * @throws AppError `not_found`, `conflict` (no refresh token, or the provider refused it), `dependency_unavailable` (the
 *   provider does not respond; the workflow continues).
 */
export async function refreshConnection(services: Services, caller: Caller, id: string): Promise<RefreshAnswer> {
  const { scope } = caller;
  const connection = await services.stores.connections.find(scope, id, connectionAccess(caller));
  if (!connection) throw connectionNotFound();
  const before = await services.stores.credentialRefreshes.find(scope, id);
  if (!before) throw nothingToRefresh();
  if (before.is_fresh) return toResponse(before);
  const refusedFor = before.is_just_refused ? (before.fence?.failure_code ?? 'unknown_error') : null;
  if (refusedFor !== null && refusedFor !== NO_CLIENT) throw refusal(refusedFor);
  const credentials = openCredentials(services, scope, { id: before.credential_id, sealed: before.sealed });
  if (refreshTokenOf(credentials) === null) throw nothingToRefresh();
  const problem = await findSettingsProblem(services, scope, { ...before, credentials });
  if (problem !== null && refusedFor !== null) throw problem;
  const job = oauthRefreshJob({ workspace_id: scope.workspaceId, connection_id: id });
  const ended = await services.jobs.join(job, WAIT_MS);
  if (ended === null) throw problem ?? unavailable('The provider has not answered yet', null);
  const result = Result.parse(ended.result);
  // The workflow has recorded that there is no usable client; the caller is told what is missing.
  if (problem !== null && result.kind === 'refused' && result.code === NO_CLIENT) throw problem;
  return responseTo(services, caller, { id, result });
}

/** Returns why there is no usable OAuth client, or null. */
async function findSettingsProblem(
  services: Services,
  scope: Scope,
  connection: OAuthConnection,
): Promise<AppError | null> {
  try {
    await resolveOAuthSettings(services, scope, connection);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return error;
    throw error;
  }
}

async function responseTo(
  services: Services,
  caller: Caller,
  { id, result }: { id: string; result: RefreshResult },
): Promise<RefreshAnswer> {
  switch (result.kind) {
    case 'refreshed':
    case 'fresh':
    // New credentials were stored during the refresh; they take precedence.
    case 'superseded': {
      const after = await services.stores.credentialRefreshes.find(caller.scope, id);
      if (!after) throw connectionNotFound();
      return toResponse(after);
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

function toResponse({ id, status, expires_at }: RefreshableConnection): RefreshAnswer {
  return { status, connection_id: id, expires_at: expires_at?.toISOString() ?? null };
}

function nothingToRefresh(): AppError {
  return new AppError(
    'conflict',
    'The connection has no refresh token. Authorize it with POST /oauth/authorize/{connection_id}, or send credentials with one.',
  );
}

function refusal(code: string): AppError {
  return new AppError(
    'conflict',
    `The provider refused to refresh the tokens (${code}). GET /oauth/refresh/{connection_id} explains what to do.`,
  );
}

function unavailable(problem: string, retryAfterS: number | null): AppError {
  return new AppError('dependency_unavailable', `${problem}; the refresh is retried. Try again after Retry-After.`, {
    retryAfterS: Math.max(RETRY_AFTER_S, retryAfterS ?? 0),
  });
}
