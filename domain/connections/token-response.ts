import type { TokenErrorMeaning, OAuthProvider } from './oauth-provider.ts';

/** HTTP response of a token endpoint, its body as text. */
export type TokenResponse = { status: number; contentType: string; retryAfterS: number | null; body: string };

/** Tokens with their lifetime. */
export type Tokens = {
  access_token: string;
  /** Null when the response has none: at a refresh, the stored one stays valid. */
  refresh_token: string | null;
  /** Issuer and subject of the identity token: whose tokens these are. Null without one. */
  subject: string | null;
  /** Null when the response has none: the stored one stays. */
  scope: string | null;
  token_type: string | null;
  /** Null for a token that does not expire. */
  lifetime_s: number | null;
  /** The response stated no plausible lifetime, so `lifetime_s` is the provider's assumed one. */
  is_assumed: boolean;
  /** Other fields of the response that are stored (`kept_fields` of the provider). */
  extras: Record<string, unknown>;
};

/** Outcome of a token request. `code` is short and takes nothing from the response but its error code. */
export type TokenOutcome =
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'refused'; status: 'expired' | 'error'; code: string }
  | {
      kind: 'unavailable';
      code: string;
      retry_after_s: number | null;
      /** The provider may have issued tokens that did not arrive. */
      is_unknown: boolean;
    };

/** Ten years. A longer lifetime is a mistake or in another unit. */
const MAX_LIFETIME_S = 10 * 366 * 24 * 3600;
const MAX_TOKEN_CHARACTERS = 64 * 1024;
const MAX_SUBJECT_CHARACTERS = 1_024;

const ERROR_MEANINGS: Readonly<Record<string, TokenErrorMeaning>> = {
  // The grant is no longer valid: the user must authorize again.
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
  // The client is misconfigured.
  invalid_client: 'error',
  unauthorized_client: 'error',
  unsupported_grant_type: 'error',
  invalid_scope: 'error',
  invalid_request: 'error',
  invalid_target: 'error',
  // A temporary problem of the provider.
  temporarily_unavailable: 'retry',
  server_error: 'retry',
  slow_down: 'retry',
  rate_limited: 'retry',
  rate_limit_exceeded: 'retry',
  too_many_requests: 'retry',
};

/**
 * Parses the response of a token endpoint by its body, because providers deviate from the standard: an error inside a 200 is an
 * error, JSON and forms are accepted under any content type, and a lifetime may be a text. An unreadable success may have
 * contained tokens, so its outcome is unknown.
 */
export function parseTokenResponse(response: TokenResponse, provider: OAuthProvider): TokenOutcome {
  const body = parseBody(response);
  const isSuccess = response.status >= 200 && response.status < 300;
  const error = body && (errorOf(body, provider) ?? errorOfStatusField(body, provider, isSuccess));
  if (error !== null) return outcomeOfError(error, response);
  const tokenObject = body && isSuccess ? findTokenObject(body, provider) : null;
  if (tokenObject) return { kind: 'tokens', tokens: readTokens(tokenObject, body ?? {}, provider) };
  if (isSuccess) return { kind: 'unavailable', code: 'unreadable_answer', retry_after_s: null, is_unknown: true };
  return outcomeOfStatus(response);
}

type TokenError = { code: string; meaning: TokenErrorMeaning | undefined };

function outcomeOfError({ code, meaning }: TokenError, response: TokenResponse): TokenOutcome {
  if (meaning === 'expired' || meaning === 'error') return { kind: 'refused', status: meaning, code };
  if (meaning === 'retry') return unavailable(code, response);
  // An unknown code is an answer about this request with the statuses of OAuth errors, or within a success; with any other, such
  // as 403 or 404, it may come from something in front of the provider.
  const { status } = response;
  const isAnswer = (status >= 200 && status < 300) || status === 400 || status === 401;
  return isAnswer ? { kind: 'refused', status: 'error', code } : unavailable(code, response);
}

/** Without an OAuth error, a response may come from anything: a proxy, a firewall, a page for the time of a deployment. */
function outcomeOfStatus(response: TokenResponse): TokenOutcome {
  const code = `http_${response.status}`;
  // Some providers answer an unknown client with nothing but a 401.
  return response.status === 401 ? { kind: 'refused', status: 'error', code } : unavailable(code, response);
}

function unavailable(code: string, { retryAfterS }: TokenResponse): Extract<TokenOutcome, { kind: 'unavailable' }> {
  return { kind: 'unavailable', code, retry_after_s: retryAfterS, is_unknown: false };
}

type Body = Readonly<Record<string, unknown>>;

function parseBody({ body, contentType }: TokenResponse): Body | null {
  const text = body.trim();
  if (text.startsWith('{')) return parseJson(text);
  const isForm = /x-www-form-urlencoded/i.test(contentType) || /^[\w.~-]+=[^<\s]*$/.test(text);
  return isForm && text !== '' ? Object.fromEntries(new URLSearchParams(text)) : null;
}

function parseJson(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return isBody(value) ? value : null;
  } catch {
    return null;
  }
}

/** The error that the body reports: in `error`, as others do `{error: {code}}`, or as Slack does (`ok: false`). */
function errorOf(body: Body, provider: OAuthProvider): TokenError | null {
  const { error } = body;
  const nested = isBody(error) ? (error['code'] ?? error['status'] ?? error['type'] ?? 'unknown') : error;
  const isMissing = nested === undefined || nested === null || nested === '' || nested === false || nested === 0;
  const code = isMissing ? (body['ok'] === false ? 'not_ok' : null) : shortCode(nested);
  if (code === null) return null;
  return { code, meaning: isTemporary(code, body, provider) ? 'retry' : meaningOf(code, provider) };
}

/** HubSpot reports its errors as `status`. In a success, any other word there says nothing: tokens may be somewhere else. */
function errorOfStatusField(body: Body, provider: OAuthProvider, isSuccess: boolean): TokenError | null {
  const { status } = body;
  if (typeof status !== 'string' || typeof body['access_token'] === 'string') return null;
  const code = shortCode(status);
  const meaning = meaningOf(code, provider);
  return isSuccess && meaning === undefined ? null : { code, meaning };
}

function meaningOf(code: string, { errors }: OAuthProvider): TokenErrorMeaning | undefined {
  return [errors, ERROR_MEANINGS].find((meanings) => Object.hasOwn(meanings, code))?.[code];
}

/** Compares the description and does not keep it: it can quote the request. */
function isTemporary(code: string, { error_description: text }: Body, { temporary_errors }: OAuthProvider): boolean {
  if (typeof text !== 'string') return false;
  const sent = text.trim().toLowerCase();
  return temporary_errors.some((known) => known.code === code && known.description === sent);
}

/** Keeps codes only: descriptions can quote the request, and a text with digits may be a token. */
function shortCode(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return /^[a-z][a-z_.:-]{0,47}$/i.test(text) ? text.toLowerCase() : 'unknown_error';
}

function findTokenObject(body: Body, { token_objects: nestedIn }: OAuthProvider): Body | null {
  const candidates = [body, ...nestedIn.map((name) => body[name])];
  return candidates.filter(isBody).find((candidate) => tokenOf(candidate['access_token']) !== null) ?? null;
}

function readTokens(tokenObject: Body, body: Body, provider: OAuthProvider): Tokens {
  const { access_token, refresh_token, scope, token_type, expires_in } = tokenObject;
  const lifetimeS = parseLifetimeS(expires_in);
  return {
    access_token: tokenOf(access_token) ?? '',
    refresh_token: tokenOf(refresh_token),
    subject: subjectOf(tokenObject['id_token']),
    scope: scopeOf(scope),
    token_type: typeof token_type === 'string' && token_type.length <= 64 ? token_type : null,
    lifetime_s: lifetimeS ?? provider.assumed_lifetime_s,
    is_assumed: lifetimeS === null && provider.assumed_lifetime_s !== null,
    extras: Object.fromEntries(provider.kept_fields.flatMap((name) => (name in body ? [[name, body[name]]] : []))),
  };
}

/** Seconds, given as a number or a text; null when missing or implausible. */
function parseLifetimeS(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null;
  return seconds >= 1 && seconds <= MAX_LIFETIME_S ? Math.floor(seconds) : null;
}

function tokenOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN_CHARACTERS ? value : null;
}

/**
 * Reads `iss` and `sub` of an identity token. Its signature is not verified: it comes from the token endpoint itself (OpenID
 * Connect Core 1.0, section 3.1.3.7, step 6), and is compared with an earlier one only.
 */
function subjectOf(idToken: unknown): string | null {
  const [, payload] = tokenOf(idToken)?.split('.') ?? [];
  const { iss, sub } = parseJson(Buffer.from(payload ?? '', 'base64url').toString('utf8')) ?? {};
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '') return null;
  // Google writes its name with the scheme or without.
  const issuer = iss.replace(/^https:\/\//, '');
  return issuer.length + sub.length <= MAX_SUBJECT_CHARACTERS ? `${issuer} ${sub}` : null;
}

function scopeOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(' ') || null;
  return typeof value === 'string' && value !== '' ? value : null;
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
