import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import { decideRefresh, type RefreshDecision } from '#domain/connections/refresh-decision.ts';
import {
  lifetimeOfTokens,
  refreshTokenOf,
  mergeTokensIntoCredentials,
  type TokenReceipt,
} from '#domain/connections/credential-tokens.ts';
import type { OAuthSettings } from '#domain/connections/oauth-provider.ts';
import type { TokenOutcome, Tokens } from '#domain/connections/token-response.ts';
import type { ExchangeOutcome, OAuthRefreshArgs, RefreshTarget } from '#domain/connections/oauth-refresh.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { resolveOAuthSettings } from '#operations/connections/oauth-settings.ts';
import { tokenReceiptNow, openCredentials, sealCredentials } from '#operations/connections/credentials.ts';
import type { Services } from '#operations/services.ts';

type ExchangeArgs = OAuthRefreshArgs & { run_id: string };

/** What a send requires, once the fence is written. */
type PreparedExchange = {
  target: RefreshTarget;
  sends: number;
  settings: OAuthSettings;
  credentials: Record<string, unknown>;
  refreshToken: string;
  /** When the fence was written, by the monotonic clock. */
  fencedAtMs: number;
};

/**
 * A worker that stalls for longer between the fence and the send may have lost its activity to another worker, so it reads the
 * fence again. Shorter than the heartbeat timeout.
 */
const MAX_FENCE_AGE_MS = 5_000;
/** How long tokens wait for Postgres before they are returned as ciphertext. A write that completes later still counts. */
const WRITE_TIMEOUT_MS = 10_000;

/**
 * Sends the refresh token of a connection and stores the new tokens as soon as they arrive. The fence is written first. The
 * result contains the tokens as ciphertext too, in case Postgres is down when they arrive.
 */
export async function exchangeTokens(services: Services, args: ExchangeArgs): Promise<ExchangeOutcome> {
  for (;;) {
    const prepared = await prepare(services, args);
    if ('kind' in prepared) return prepared;
    if (performance.now() - prepared.fencedAtMs > MAX_FENCE_AGE_MS) continue;
    const outcome = await sendRefreshToken(services, prepared);
    return storeOutcome(services, prepared, outcome);
  }
}

/** Writes the fence, or returns why nothing is sent. */
async function prepare(services: Services, args: ExchangeArgs): Promise<PreparedExchange | ExchangeOutcome> {
  const scope = workspaceScope(args);
  return services.stores.transaction(async (stores): Promise<PreparedExchange | ExchangeOutcome> => {
    const found = await stores.credentialRefreshes.lock(scope, args.connection_id);
    if (!found) return { kind: 'gone' };
    const { credential_id, version, sealed, is_fresh, fence } = found;
    const credentials = openCredentials(services, scope, { id: credential_id, sealed });
    const refreshToken = refreshTokenOf(credentials);
    const has_refresh_token = refreshToken !== null;
    const decision = decideRefresh({ run_id: args.run_id, version, is_fresh, has_refresh_token, fence });
    const { workspace_id, connection_id, run_id } = args;
    const target = { workspace_id, connection_id, credential_id, run_id, version };
    if (decision.action === 'skip') return outcomeOfSkip(decision.reason, target);
    if (refreshToken === null) return { kind: 'no_refresh_token' };
    const settings = await usableSettings({ ...services, stores }, scope, { ...found, credentials });
    await stores.credentialRefreshes.recordSending(scope, target, decision.sends);
    if (settings === null) return refused(target, { status: 'error', code: 'no_client', provider: 'unknown' });
    return { target, sends: decision.sends, settings, credentials, refreshToken, fencedAtMs: performance.now() };
  });
}

type SkipReason = Extract<RefreshDecision, { action: 'skip' }>['reason'];

function outcomeOfSkip(reason: SkipReason, target: RefreshTarget): ExchangeOutcome {
  if (reason === 'no_refresh_token') return { kind: 'no_refresh_token' };
  if (reason !== 'unknown_twice') return { kind: 'fresh' };
  const unknown = { is_unknown: true, sends: 2, retry_after_s: null, provider: 'unknown' };
  return { kind: 'unavailable', target, code: 'outcome_unknown', ...unknown };
}

function refused(
  target: RefreshTarget,
  why: { status: 'expired' | 'error'; code: string; provider: string },
): ExchangeOutcome {
  return { kind: 'refused', target, ...why };
}

/** Returns null when the client or the endpoints are missing or cannot be used. */
async function usableSettings(
  services: Parameters<typeof resolveOAuthSettings>[0],
  scope: Scope,
  connection: Parameters<typeof resolveOAuthSettings>[2],
): Promise<OAuthSettings | null> {
  try {
    return await resolveOAuthSettings(services, scope, connection);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return null;
    throw error;
  }
}

async function sendRefreshToken(
  { oauth }: Services,
  { settings, refreshToken }: PreparedExchange,
): Promise<TokenOutcome> {
  try {
    return await oauth.refresh(settings, refreshToken);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict')
      return { kind: 'refused', status: 'error', code: 'bad_endpoint' };
    throw error;
  }
}

async function storeOutcome(
  services: Services,
  prepared: PreparedExchange,
  outcome: TokenOutcome,
): Promise<ExchangeOutcome> {
  const { target, sends } = prepared;
  const provider = providerForHistory(services, prepared.settings);
  services.metrics.countRefresh(outcome.kind === 'refused' ? outcome.status : outcome.kind);
  if (outcome.kind === 'refused') return refused(target, { status: outcome.status, code: outcome.code, provider });
  if (outcome.kind === 'unavailable') {
    // A provider that is away now does not say what became of the send before, whose answer was lost.
    return { ...outcome, is_unknown: outcome.is_unknown || sends > 1, target, sends, provider };
  }
  const receipt = tokenReceiptNow(services);
  const sealedTokens = sealTokens(services, prepared, { tokens: outcome.tokens, receipt });
  try {
    const writing = services.stores.credentialRefreshes.writeTokens(workspaceScope(target), target, sealedTokens);
    await Promise.race([writing, rejectAfterTimeout()]);
  } catch (error) {
    // The tokens continue as ciphertext in the history; persistRefresh stores them.
    services.log.warn(
      { error, connection_id: target.connection_id, workspace_id: target.workspace_id },
      'refreshed tokens could not be stored at once',
    );
  }
  const { sealed, expires_at, is_assumed, due_at } = sealedTokens;
  return { kind: 'tokens', target, sealed, expires_at, is_assumed, due_at, provider };
}

/** A Postgres that hangs must not hold the only copy of the tokens until the activity times out. */
async function rejectAfterTimeout(): Promise<never> {
  await delay(WRITE_TIMEOUT_MS, undefined, { ref: false });
  throw new AppError('dependency_unavailable', 'The database does not respond.');
}

/** Workflow histories contain no text that users wrote, so only built-in providers are named. */
function providerForHistory({ oauth }: Services, { provider }: OAuthSettings): string {
  return oauth.providers.some(({ name }) => name === provider.name) ? provider.name : 'another provider';
}

function sealTokens(
  services: Services,
  { target, credentials, refreshToken }: PreparedExchange,
  { tokens, receipt }: { tokens: Tokens; receipt: TokenReceipt },
) {
  const renewed = mergeTokensIntoCredentials({ refresh_token: refreshToken, ...credentials }, tokens, receipt);
  const id = target.credential_id;
  const { sealed } = sealCredentials(services, workspaceScope(target), { id, credentials: renewed });
  return { sealed, ...lifetimeOfTokens(tokens, true, receipt) };
}
