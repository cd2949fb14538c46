import { AppError } from '#domain/app-error.ts';
import type { TokenResponse, TokenOutcome } from '#domain/connections/token-response.ts';
import type { Egress } from '#security/egress/egress.ts';
import { errorCodeOf } from '#security/egress/exchange-failure.ts';

/** Sends what a library has made ready, as `fetch` would. */
export type TokenTransport = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: unknown },
) => Promise<Response>;

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;
const MAX_RETRY_AFTER_S = 3_600;
/** Answers with these statuses cannot have a body, as `Response` sees it. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Requests to providers, through egress: no redirects, bounded answers, and an end after 30 s. */
export function createTokenTransport(egress: Egress, bodyFormat: 'form' | 'json'): TokenTransport {
  return async (url, request) => {
    const { headers, body } = request;
    const parameters = body instanceof URLSearchParams ? body : null;
    const asJson = bodyFormat === 'json' && parameters !== null;
    const response = await egress.fetchTo(url, {
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: asJson ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(parameters && { body: asJson ? JSON.stringify(Object.fromEntries(parameters)) : parameters.toString() }),
      maxBytes: MAX_BYTES,
      totalTimeoutMs: TIMEOUT_MS,
      idleTimeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    const bytes = BODILESS.has(response.status) ? null : Buffer.concat(pieces);
    return new Response(bytes, { status: response.status, headers: { ...response.headers } });
  };
}

/** The answer of a token endpoint, read whole. */
export async function toTokenResponse(response: Response): Promise<TokenResponse> {
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    retryAfterS: retryAfter(response.headers.get('retry-after')),
    body: await response.text(),
  };
}

/** Seconds from `Retry-After`, as a number or a date (RFC 9110), at most an hour. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) : null;
}

/** Causes that come before the first byte of a request. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ENODATA|EAI_|UND_ERR_CONNECT_TIMEOUT|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** What it means that no answer came. @throws the error when it is none of egress. */
export function outcomeWithoutResponse(error: unknown): TokenOutcome {
  if (!(error instanceof AppError)) throw error;
  // An address that must not be reached is a matter of configuration, not of time.
  if (error.code === 'download_refused') return { kind: 'refused', status: 'error', code: 'endpoint_refused' };
  const cause = errorCodeOf(error.cause);
  const wasSent = !BEFORE_SENDING.test(cause) && !error.message.startsWith('There is no host');
  const code = error.code === 'download_timeout' ? 'timeout' : wasSent ? 'broken_answer' : 'unreachable';
  return { kind: 'unavailable', code, retry_after_s: null, is_unknown: wasSent };
}
