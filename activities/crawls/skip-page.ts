import { assertNever, type ErrorCode } from '#domain/app-error.ts';
import type { PageEnd } from '#store/crawls/crawl-pages.ts';
import { failPage } from './fail-page.ts';
import type { LockedPage } from './lock-known-page.ts';

export const DISALLOWED_BY_ROBOTS = 'The robots.txt of the site does not allow this page to be crawled.';
const NOT_INDEXABLE = 'The page asks not to be indexed (noindex).';

/** Skips a page. The start page fails instead, so that its content says why: the user asked for this very page. */
export async function skipPage(locked: LockedPage, reason: 'robots' | 'noindex' | 'type' | 'empty'): Promise<PageEnd> {
  const { page } = locked;
  if (page.kind !== 'page' || !page.is_start) return { state: 'skipped', reason };
  return failPage(locked, { state: 'failed', ...skippedStartFailure(reason) });
}

function skippedStartFailure(reason: 'robots' | 'noindex' | 'type' | 'empty'): { code: ErrorCode; message: string } {
  switch (reason) {
    case 'robots':
      return { code: 'crawl_refused', message: DISALLOWED_BY_ROBOTS };
    case 'noindex':
      return { code: 'crawl_refused', message: NOT_INDEXABLE };
    case 'empty':
      return { code: 'empty_file', message: 'The page is empty.' };
    case 'type':
      return { code: 'unsupported_type', message: 'Crawls do not take pages of this content type.' };
    default:
      return assertNever(reason);
  }
}
