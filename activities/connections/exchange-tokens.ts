import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import { decideRefresh } from '#domain/connections/refresh-decision.ts';
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

/** Everything that is sent for, once the fence is written. */
type Ready = {
  target: RefreshTarget;
  sends: number;
  settings: OAuthSettings;
  credentials: Record<string, unknown>;
  refreshToken: string;
  /** When the fence was written, by the clock that no stall stops. */
  notedMs: number;
};

/**
 * A worker that stalled for longer between the fence and the send may have been given up meanwhile, and somebody else sends:
 * it looks again. Less than Temporal waits for a sign of life.
 */
const LATEST_SEND_MS = 5_000;
/** Longest that tokens wait for Postgres before they go on as ciphertext; what is written later counts all the same. */
const WRITE_MS = 10_000;

/**
 * Sends the refresh token of a connection, once for all who ask, and writes what comes back in the moment that it comes. The
 * fence is written before; the tokens go back sealed as well, in case Postgres is away just then.
 */
export async function exchangeTokens(services: Services, args: ExchangeArgs): Promise<ExchangeOutcome> {
  for (;;) {
    const begun = await begin(services, args);
    if ('kind' in begun) return begun;
    if (performance.now() - begun.notedMs > LATEST_SEND_MS) continue;
    const outcome = await ask(services, begun);
    return conclude(services, begun, outcome);
  }
}

async function begin(services: Services, args: ExchangeArgs): Promise<Ready | ExchangeOutcome> {
  const scope = workspaceScope(args);
  return services.stores.transaction(async (stores): Promise<Ready | ExchangeOutcome> => {
    const found = await stores.credentialRefreshes.lock(scope, args.connection_id);
    if (!found) return { kind: 'gone' };
    const { credential_id, version, sealed, is_fresh, fence } = found;
    const credentials = openCredentials(services, scope, { id: credential_id, sealed });
    const refreshToken = refreshTokenOf(credentials);
    const has_refresh_token = refreshToken !== null;
    const decision = decideRefresh({ run_id: args.run_id, version, is_fresh, has_refresh_token, fence });
    const { workspace_id, connection_id, run_id } = args;
    const target = { workspace_id, connection_id, credential_id, run_id, version };
    if (decision.do === 'answer') return answerTo(decision.as, target);
    if (refreshToken === null) return { kind: 'no_refresh_token' };
    const settings = await settingsOrRefusal({ ...services, stores }, scope, { ...found, credentials });
    await stores.credentialRefreshes.recordSending(scope, target, decision.sends);
    if (settings === null) return refused(target, { status: 'error', code: 'no_client', provider: 'unknown' });
    return { target, sends: decision.sends, settings, credentials, refreshToken, notedMs: performance.now() };
  });
}

function answerTo(as: 'mine' | 'fresh' | 'no_refresh_token' | 'unknown_twice', target: RefreshTarget): ExchangeOutcome {
  if (as === 'no_refresh_token') return { kind: 'no_refresh_token' };
  if (as !== 'unknown_twice') return { kind: 'fresh' };
  const unknown = { is_unknown: true, sends: 2, retry_after_s: null, provider: 'unknown' };
  return { kind: 'unavailable', target, code: 'outcome_unknown', ...unknown };
}

function refused(
  target: RefreshTarget,
  why: { status: 'expired' | 'error'; code: string; provider: string },
): ExchangeOutcome {
  return { kind: 'refused', target, ...why };
}

/** Null where client or endpoints are missing or cannot be used. */
async function settingsOrRefusal(
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

async function ask({ oauth }: Services, { settings, refreshToken }: Ready): Promise<TokenOutcome> {
  try {
    return await oauth.refresh(settings, refreshToken);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict')
      return { kind: 'refused', status: 'error', code: 'bad_endpoint' };
    throw error;
  }
}

async function conclude(services: Services, ready: Ready, outcome: TokenOutcome): Promise<ExchangeOutcome> {
  const { target, sends } = ready;
  const provider = shownName(services, ready.settings);
  services.metrics.countRefresh(outcome.kind === 'refused' ? outcome.status : outcome.kind);
  if (outcome.kind === 'refused') return refused(target, { status: outcome.status, code: outcome.code, provider });
  if (outcome.kind === 'unavailable') return { ...outcome, target, sends, provider };
  const received = tokenReceiptNow(services);
  const written = sealTokens(services, ready, { tokens: outcome.tokens, received });
  try {
    await Promise.race([
      services.stores.credentialRefreshes.writeTokens(workspaceScope(target), target, written),
      givingUp(),
    ]);
  } catch (error) {
    // They go on as ciphertext in the history, and the next step writes them.
    services.log.warn(
      { error, connection_id: target.connection_id, workspace_id: target.workspace_id },
      'refreshed tokens could not be written at once',
    );
  }
  const { sealed, expires_at, is_assumed, due_at } = written;
  return { kind: 'tokens', target, sealed, expires_at, is_assumed, due_at, provider };
}

/** A Postgres that only hangs must not hold the one copy of the tokens until Temporal gives up this step. */
async function givingUp(): Promise<never> {
  await delay(WRITE_MS, undefined, { ref: false });
  throw new AppError('dependency_unavailable', 'The database does not answer.');
}

/** Histories hold no word that a user wrote: of providers, the names of those that are known. */
function shownName({ oauth }: Services, { provider }: OAuthSettings): string {
  return oauth.providers.some(({ name }) => name === provider.name) ? provider.name : 'another provider';
}

function sealTokens(
  services: Services,
  { target, credentials, refreshToken }: Ready,
  { tokens, received }: { tokens: Tokens; received: TokenReceipt },
) {
  const renewed = mergeTokensIntoCredentials({ refresh_token: refreshToken, ...credentials }, tokens, received);
  const id = target.credential_id;
  const { sealed } = sealCredentials(services, workspaceScope(target), { id, credentials: renewed });
  return { sealed, ...lifetimeOfTokens(tokens, true, received) };
}
