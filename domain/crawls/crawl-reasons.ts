import type { ErrorCode } from '#domain/app-error.ts';

/**
 * Why a crawl skipped a page, with a description for people. The keys are stored in `crawl_pages.reason` and returned in the
 * `reasons` of an upload's crawl, so they never change.
 */
export const SKIP_REASONS = {
  robots: 'robots.txt does not allow it',
  noindex: 'the page asks not to be indexed',
  /** One redirect: the target page takes its place. */
  redirect: 'redirects to another page of the site',
  /** A chain of redirects that is too long. */
  redirects: 'redirects too often',
  off_site: 'redirects to another site',
  canonical: 'names another page as the original (rel=canonical)',
  type: 'its content type is not crawled',
  limit: 'beyond the requested number of pages',
  empty: 'the response was empty',
  cancelled: 'cancelled by a request',
  deleted: 'its content was deleted',
  sitemap: 'the sitemap could not be read',
  crawl_ended: 'the crawl ended before this page was fetched',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** Why a page was skipped, or the error code with which it failed. */
export type CrawlReason = SkipReason | ErrorCode;

/** True for a stored reason that says why a page was skipped; other reasons are error codes. */
export function isSkipReason(reason: string): reason is SkipReason {
  return Object.hasOwn(SKIP_REASONS, reason);
}
