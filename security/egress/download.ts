import { AppError } from '../../domain/app-error.ts';
import { urlForDisplay } from '../url-for-display.ts';
import type { Egress, FetchOptions, FetchedResponse } from './egress.ts';

const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const MAX_RETRY_AFTER_S = 3_600;

/**
 * Fetches a file. Unlike `fetchTo` it takes an answer of 2xx only.
 * @throws AppError those of `fetchTo`; `download_failed` for 408, 425, 429 and 5xx, with `retryAfterS` where the server says so;
 * `download_rejected` for every other status.
 */
export async function download(egress: Egress, url: string, options: FetchOptions): Promise<FetchedResponse> {
  const response = await egress.fetchTo(url, options);
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  await response.discard();
  const shown = urlForDisplay(response.url);
  if (status >= 500 || TEMPORARY_STATUSES.has(status)) {
    const retryAfterS = retryAfter(response.headers['retry-after']);
    throw new AppError(
      'download_failed',
      `${shown} answered ${status}, which may pass.`,
      retryAfterS === null ? {} : { retryAfterS },
    );
  }
  throw new AppError('download_rejected', `${shown} answered ${status}${adviceFor(status)}.`);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ': it is not open to everybody; upload the file itself';
  if (status === 404 || status === 410) return ': check the address';
  return ' instead of the file';
}

/** Seconds from `Retry-After`, given as a number or a date (RFC 9110), at most an hour. */
function retryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) : null;
}
