import { AppError } from '#domain/app-error.ts';
import { parseRetryAfterS } from '#domain/retry-after.ts';
import type { TokenResponse, TokenOutcome } from '#domain/connections/token-response.ts';
import type { Egress } from '#security/egress/egress.ts';
import { errorCodeOf } from '#security/egress/exchange-failure.ts';

/** Sends the requests that oauth4webapi prepares; has the signature of `fetch`. */
export type TokenTransport = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: unknown },
) => Promise<Response>;

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;
const MAX_RETRY_AFTER_S = 3_600;
/** `Response` accepts no body for these statuses. */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** Creates a transport through egress: no redirects, at most 256 KiB per response, and a timeout of 30 s. */
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
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = BODILESS_STATUSES.has(response.status) ? null : Buffer.concat(chunks);
    return new Response(bytes, { status: response.status, headers: { ...response.headers } });
  };
}

/** Reads the whole response of a token endpoint. */
export async function toTokenResponse(response: Response): Promise<TokenResponse> {
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    retryAfterS: parseRetryAfterS(response.headers.get('retry-after') ?? undefined, {
      nowMs: Date.now(),
      maxS: MAX_RETRY_AFTER_S,
    }),
    body: await response.text(),
  };
}

/** Error codes that occur before the first byte of a request is sent; `ESERVFAIL` to `EBADRESP` are of name servers. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ENODATA|EAI_|ESERVFAIL|EREFUSED|ETIMEOUT|ECANCELLED|EFORMERR|EBADRESP|UND_ERR_CONNECT_TIMEOUT|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** Returns the outcome of a request without a response. @throws the error when it does not come from egress. */
export function outcomeWithoutResponse(error: unknown): TokenOutcome {
  if (!(error instanceof AppError)) throw error;
  // A blocked address is a configuration problem, so a retry would not help.
  if (error.code === 'download_refused') return { kind: 'refused', status: 'error', code: 'endpoint_refused' };
  const cause = errorCodeOf(error.cause);
  const wasSent = !BEFORE_SENDING.test(cause) && !error.message.startsWith('There is no host');
  const code = error.code === 'download_timeout' ? 'timeout' : wasSent ? 'broken_answer' : 'unreachable';
  return { kind: 'unavailable', code, retry_after_s: null, is_unknown: wasSent };
}
