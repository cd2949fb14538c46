import { AppError } from '#domain/app-error.ts';
import { parseRetryAfterS } from '#domain/retry-after.ts';
import { urlForDisplay } from '#security/url-for-display.ts';

export type FetchedResponse = {
  status: number;
  /** Names in lower case; the values of a repeated header are joined by a comma, those of `x-robots-tag` by a line break. */
  headers: Readonly<Record<string, string>>;
  /** The URL after redirects. Its query may contain secrets: show it with `urlForDisplay`. */
  url: string;
  /**
   * Decompressed unless `decode` is false; can be read once. Throws AppError `download_too_large`, `download_timeout`,
   * `download_failed` or `download_rejected`.
   */
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection without reading the rest of the body. */
  discard(): Promise<void>;
};

const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const MAX_RETRY_AFTER_S = 3_600;

/**
 * Returns the response when its status is 2xx, otherwise discards it and throws.
 * @throws AppError `download_failed` for 408, 425, 429 and 5xx, with the server's `retryAfterS`; `download_rejected` for every
 * other status.
 */
export async function requireSuccess(response: FetchedResponse): Promise<FetchedResponse> {
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  await response.discard();
  const shown = urlForDisplay(response.url);
  if (status >= 500 || TEMPORARY_STATUSES.has(status)) {
    const seconds = retryAfter(response.headers['retry-after']);
    throw new AppError(
      'download_failed',
      `${shown} answered ${status}, which may be temporary.`,
      seconds === null ? {} : { retryAfterS: seconds },
    );
  }
  throw new AppError('download_rejected', `${shown} answered ${status}${adviceFor(status)}.`);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ': it is not publicly accessible; upload the file itself';
  if (status === 404 || status === 410) return ': check the address';
  return ' instead of the file';
}

/** Returns the seconds of a `Retry-After` header, at most `maxS`, by default an hour; null without one. */
export function retryAfter(header: string | undefined, maxS = MAX_RETRY_AFTER_S): number | null {
  return parseRetryAfterS(header, { nowMs: Date.now(), maxS });
}
