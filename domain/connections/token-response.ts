import type { TokenErrorMeaning, OAuthProvider } from './oauth-provider.ts';

/** What a token endpoint answered, its body as text. */
export type TokenResponse = { status: number; contentType: string; retryAfterS: number | null; body: string };

/** Tokens, with what is known of their life. */
export type Tokens = {
  access_token: string;
  /** Null when the answer has none: the one before goes on. */
  refresh_token: string | null;
  /** Null when it has none: the one before goes on. */
  scope: string | null;
  token_type: string | null;
  /** Null for a token that does not expire. */
  lifetime_s: number | null;
  /** The answer named no lifetime that can be believed. */
  is_assumed: boolean;
  /** What else of the answer is kept. */
  extras: Record<string, unknown>;
};

/** What came of asking for tokens. `code` is short and holds nothing of the answer but its error code. */
export type TokenOutcome =
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | {
      kind: 'unavailable';
      code: string;
      retry_after_s: number | null;
      /** The provider may have given tokens that never arrived. */
      is_unknown: boolean;
    };

/** An access token that lives longer than ten years has a lifetime in another unit, or a mistake. */
const MAX_LIFETIME_S = 10 * 366 * 24 * 3600;
const MAX_TOKEN_CHARACTERS = 64 * 1024;

const ERROR_MEANINGS: Readonly<Record<string, TokenErrorMeaning>> = {
  // The grant is gone: the user has to connect again.
  invalid_grant: 'expired',
  invalid_token: 'expired',
  expired_token: 'expired',
  token_expired: 'expired',
  token_revoked: 'expired',
  invalid_refresh_token: 'expired',
  bad_refresh_token: 'expired',
  interaction_required: 'expired',
  login_required: 'expired',
  consent_required: 'expired',
  account_selection_required: 'expired',
  access_denied: 'expired',
  // The client is wrong: whoever set it up has to mend it.
  invalid_client: 'error',
  unauthorized_client: 'error',
  unsupported_grant_type: 'error',
  invalid_scope: 'error',
  invalid_request: 'error',
  invalid_target: 'error',
  // The provider's own trouble.
  temporarily_unavailable: 'retry',
  server_error: 'retry',
  slow_down: 'retry',
  rate_limited: 'retry',
};

/**
 * Reads the answer of a token endpoint by what its body says: an error inside a 200 is an error, JSON or a form are taken
 * whatever the content type says, a lifetime may be a text. What cannot be read after a success may have been tokens.
 */
export function parseTokenResponse(answer: TokenResponse, provider: OAuthProvider): TokenOutcome {
  const body = parseBody(answer);
  const code = body && errorCodeOf(body);
  if (code !== null) return outcomeOfErrorCode(code, answer, provider);
  const isSuccess = answer.status >= 200 && answer.status < 300;
  const holder = body && isSuccess ? findTokenObject(body, provider) : null;
  if (holder) return { kind: 'tokens', tokens: readTokens(holder, body ?? {}, provider) };
  if (isSuccess) return { kind: 'unavailable', code: 'unreadable_answer', retry_after_s: null, is_unknown: true };
  return outcomeOfStatus(answer);
}

function outcomeOfErrorCode(code: string, answer: TokenResponse, provider: OAuthProvider): TokenOutcome {
  const verdict = provider.errors[code] ?? ERROR_MEANINGS[code];
  if (verdict === 'expired' || verdict === 'error') return { kind: 'refused', status: verdict, code };
  if (verdict === 'retry') return unavailable(code, answer);
  // An error that nobody knows: its status says whether it may pass.
  const byStatus = outcomeOfStatus(answer);
  return { ...byStatus, code };
}

function outcomeOfStatus(answer: TokenResponse): Exclude<TokenOutcome, { kind: 'tokens' }> {
  const { status } = answer;
  const code = `http_${status}`;
  if (status >= 500 || status === 408 || status === 425 || status === 429) return unavailable(code, answer);
  // Some say nothing but 401 to a client that they do not know.
  return { kind: 'refused', status: 'error', code };
}

function unavailable(code: string, { retryAfterS }: TokenResponse): Extract<TokenOutcome, { kind: 'unavailable' }> {
  return { kind: 'unavailable', code, retry_after_s: retryAfterS, is_unknown: false };
}

type Body = Readonly<Record<string, unknown>>;

function parseBody({ body, contentType }: TokenResponse): Body | null {
  const text = body.trim();
  if (text.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      return isBody(value) ? value : null;
    } catch {
      return null;
    }
  }
  const isForm = /x-www-form-urlencoded/i.test(contentType) || /^[\w.~-]+=[^<\s]*$/.test(text);
  return isForm && text !== '' ? Object.fromEntries(new URLSearchParams(text)) : null;
}

/** `error`, or what Slack (`ok: false`), HubSpot (`status`) and others (`{error: {code}}`) have in its place. */
function errorCodeOf(body: Body): string | null {
  const { error } = body;
  const nested = isBody(error) ? (error['code'] ?? error['status'] ?? error['type'] ?? 'unknown') : error;
  const isMissing = nested === undefined || nested === null || nested === '' || nested === false;
  if (!isMissing) return shortCode(nested);
  if (body['ok'] === false) return 'not_ok';
  const { status } = body;
  return typeof status === 'string' && typeof body['access_token'] !== 'string' ? shortCode(status) : null;
}

/** A code and nothing else: descriptions can quote what was sent, and what has digits may be a token. */
function shortCode(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return /^[a-z][a-z_.:-]{0,47}$/i.test(text) ? text.toLowerCase() : 'unknown_error';
}

function findTokenObject(body: Body, { token_objects: nestedIn }: OAuthProvider): Body | null {
  const candidates = [body, ...nestedIn.map((name) => body[name])];
  return candidates.filter(isBody).find((one) => tokenOf(one['access_token']) !== null) ?? null;
}

function readTokens(holder: Body, body: Body, provider: OAuthProvider): Tokens {
  const { access_token, refresh_token, scope, token_type, expires_in } = holder;
  const lifetimeS = parseLifetimeS(expires_in);
  return {
    access_token: tokenOf(access_token) ?? '',
    refresh_token: tokenOf(refresh_token),
    scope: scopeOf(scope),
    token_type: typeof token_type === 'string' && token_type.length <= 64 ? token_type : null,
    lifetime_s: lifetimeS ?? provider.assumed_lifetime_s,
    is_assumed: lifetimeS === null && provider.assumed_lifetime_s !== null,
    extras: Object.fromEntries(provider.kept_fields.flatMap((name) => (name in body ? [[name, body[name]]] : []))),
  };
}

/** Seconds, as a number or as a text; null for what is missing or cannot be meant. */
function parseLifetimeS(value: unknown): number | null {
  const text = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof text !== 'number' || !Number.isFinite(text)) return null;
  return text >= 1 && text <= MAX_LIFETIME_S ? Math.floor(text) : null;
}

function tokenOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN_CHARACTERS ? value : null;
}

function scopeOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string').join(' ') || null;
  return typeof value === 'string' && value !== '' ? value : null;
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
