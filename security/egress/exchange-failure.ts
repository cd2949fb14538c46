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
/** The parser's word for an answer that ended in the middle: the connection broke, the protocol was right. */
const TRUNCATED = /EOF/;
const NOT_TLS = /^(ERR_SSL_|EPROTO$)/;

/**
 * The failure of an exchange as an AppError: `download_timeout` and `download_failed` may go better another time,
 * `download_rejected` will not. Errors that are AppErrors already pass.
 */
export function exchangeFailure(error: unknown, url: URL): AppError {
  if (error instanceof AppError) return error;
  const code = errorCodeOf(error);
  const shown = urlForDisplay(url);
  const failure = (as: ItemErrorCode, what: string) => new AppError(as, `${shown} ${what}.`, { cause: error });
  if (TIMEOUTS.has(code)) return failure('download_timeout', 'did not answer, or stopped sending, for too long');
  const lasting = lastingReason(error, code);
  if (lasting !== null) return failure('download_rejected', lasting);
  return failure('download_failed', `broke the connection or refused it${code === '' ? '' : ` (${code})`}`);
}

/** What is wrong with the other side and stays so, as words after its URL; null when trying again makes sense. */
function lastingReason(error: unknown, code: string): string | null {
  if (UNTRUSTED.test(code)) return `has a certificate that is not trusted (${code}): its owner has to correct it`;
  if (NOT_TLS.test(code)) return 'does not speak TLS as expected: check whether the URL should begin with http://';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'answers with headers that are too large';
  const isNotHttp = error instanceof errors.HTTPParserError && !TRUNCATED.test(error.message);
  return isNotHttp ? 'does not answer in HTTP: check its port' : null;
}

/** The `code` of a system or library error, of its first inner error when several connections were tried; '' without. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCodeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
