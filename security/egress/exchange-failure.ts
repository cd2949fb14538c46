import { errors } from 'undici';
import { AppError, type ItemErrorCode } from '#domain/app-error.ts';
import { urlForDisplay } from '#security/url-for-display.ts';

const TIMEOUTS: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

const UNTRUSTED =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;
/** In a parser error, a sign that the response ended early: the connection broke, but the other side does speak HTTP. */
const TRUNCATED = /EOF/;
const NOT_TLS = /^(ERR_SSL_|EPROTO$)/;

/**
 * Converts the failure of an exchange to an AppError: `download_timeout` and `download_failed` are temporary,
 * `download_rejected` is permanent. An AppError is returned unchanged.
 */
export function exchangeFailure(error: unknown, url: URL): AppError {
  if (error instanceof AppError) return error;
  const code = errorCodeOf(error);
  const shown = urlForDisplay(url);
  const failure = (as: ItemErrorCode, problem: string) => new AppError(as, `${shown} ${problem}.`, { cause: error });
  if (TIMEOUTS.has(code)) return failure('download_timeout', 'did not answer, or stopped sending, for too long');
  const permanent = permanentProblem(error, code);
  if (permanent !== null) return failure('download_rejected', permanent);
  return failure('download_failed', `broke the connection or refused it${code === '' ? '' : ` (${code})`}`);
}

/** Describes a permanent problem of the other side, as words after its URL; null when a retry makes sense. */
function permanentProblem(error: unknown, code: string): string | null {
  if (UNTRUSTED.test(code)) return `has a certificate that is not trusted (${code}): its owner has to correct it`;
  if (NOT_TLS.test(code)) return 'does not speak TLS as expected: check whether the URL should begin with http://';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'sends headers that are too large';
  const isNotHttp = error instanceof errors.HTTPParserError && !TRUNCATED.test(error.message);
  return isNotHttp ? 'does not answer in HTTP: check its port' : null;
}

/** Returns the `code` of a system or library error, or of its first inner error when several connections were tried; '' if none. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCodeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
