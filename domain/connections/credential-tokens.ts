import { scheduledRefreshMs } from './refresh-decision.ts';
import type { Tokens } from './token-response.ts';

/** When tokens expire and when they are due for a refresh; null where unknown. `is_assumed`: the provider did not state it. */
export type TokenLifetime = { expires_at: string | null; is_assumed: boolean; due_at: string | null };

type Credentials = Readonly<Record<string, unknown>>;

/** When tokens were received, and a number from 0 to 1 that spreads their refreshes. */
export type TokenReceipt = { receivedMs: number; random: number };

/** Returns the refresh token among the credentials of a connection; null without one. */
export function refreshTokenOf({ refresh_token: token }: Credentials): string | null {
  return typeof token === 'string' && token !== '' ? token : null;
}

/** Returns a text field of the credentials; null when it is missing or empty. */
export function credentialText(credentials: Credentials, name: string): string | null {
  const value = credentials[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Returns the credentials with the tokens of a new authorization, which may be that of another account. Its response need not
 * repeat the refresh token of the same account; that of another one would switch the connection back at the next refresh. So it
 * is kept only where the identity tokens name the same subject, or where neither authorization has one.
 */
export function replaceAuthorization(
  credentials: Credentials,
  tokens: Tokens,
  receipt: TokenReceipt,
): Record<string, unknown> {
  const { refresh_token, token_subject, ...others } = credentials;
  const isSame = (token_subject ?? null) === tokens.subject;
  return mergeTokensIntoCredentials({ ...others, ...(isSame ? { refresh_token } : {}) }, tokens, receipt);
}

/** Returns the credentials with refreshed tokens. Fields that the response did not state (refresh token, scope) keep their values. */
export function mergeTokensIntoCredentials(
  credentials: Credentials,
  tokens: Tokens,
  receipt: TokenReceipt,
): Record<string, unknown> {
  const { expires_in: _stale, ...kept } = credentials;
  return {
    ...kept,
    ...tokens.extras,
    access_token: tokens.access_token,
    ...(tokens.refresh_token === null ? {} : { refresh_token: tokens.refresh_token }),
    ...(tokens.subject === null ? {} : { token_subject: tokens.subject }),
    ...(tokens.scope === null ? {} : { scope: tokens.scope }),
    ...(tokens.token_type === null ? {} : { token_type: tokens.token_type }),
    expires_at: expiryOf(tokens, receipt),
  };
}

/** Returns when new tokens expire and, when they can be refreshed, are due. */
export function lifetimeOfTokens(tokens: Tokens, canRefresh: boolean, receipt: TokenReceipt): TokenLifetime {
  const { lifetime_s: lifetimeS, is_assumed } = tokens;
  if (lifetimeS === null) return { expires_at: null, is_assumed: false, due_at: null };
  const dueMs = scheduledRefreshMs(receipt.receivedMs, lifetimeS, receipt.random);
  return {
    expires_at: expiryOf(tokens, receipt),
    is_assumed,
    due_at: canRefresh ? new Date(dueMs).toISOString() : null,
  };
}

/** Returns the same for credentials of a request, from their `expires_at` (ISO 8601, or Unix time) or `expires_in`. */
export function lifetimeOfCredentials(credentials: Credentials, receipt: TokenReceipt): TokenLifetime {
  const expiresMs = clientExpiryMs(credentials, receipt.receivedMs);
  if (expiresMs === null) return { expires_at: null, is_assumed: false, due_at: null };
  const leftS = (expiresMs - receipt.receivedMs) / 1000;
  // The original lifetime is unknown. Tokens that expire soon are due at once.
  const dueMs =
    leftS < EXPIRES_SOON_S ? receipt.receivedMs : scheduledRefreshMs(receipt.receivedMs, leftS, receipt.random);
  return {
    expires_at: new Date(expiresMs).toISOString(),
    is_assumed: false,
    due_at: refreshTokenOf(credentials) === null ? null : new Date(dueMs).toISOString(),
  };
}

const EXPIRES_SOON_S = 5 * 60;
const YEAR_MS = 366 * 24 * 3_600_000;

function clientExpiryMs({ expires_at: at, expires_in: lifetime }: Credentials, nowMs: number): number | null {
  const ms = unixMs(at);
  if (Number.isFinite(ms) && ms > 0 && ms < nowMs + 10 * YEAR_MS) return ms;
  const lifetimeMs = (numberOf(lifetime) ?? 0) * 1000;
  return lifetimeMs > 0 && lifetimeMs < 10 * YEAR_MS ? nowMs + lifetimeMs : null;
}

/** A larger Unix time is in milliseconds: as seconds it would be more than three thousand years away. */
const MAX_UNIX_S = 1e11;

/** Reads a time without an offset as UTC, as `IsoTimeInput` does. NaN for what is no time. */
function unixMs(value: unknown): number {
  const number = numberOf(value);
  if (number !== null) return number > MAX_UNIX_S ? number : number * 1000;
  if (typeof value !== 'string') return NaN;
  const ms = Date.parse(/(Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}Z`);
  // A time with another zone, such as EST.
  return Number.isNaN(ms) ? Date.parse(value) : ms;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : null;
}

function expiryOf({ lifetime_s: lifetimeS }: Tokens, { receivedMs }: TokenReceipt): string | null {
  return lifetimeS === null ? null : new Date(receivedMs + lifetimeS * 1000).toISOString();
}
