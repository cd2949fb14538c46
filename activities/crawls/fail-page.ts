import type { ErrorCode } from '#domain/app-error.ts';
import { isSettled } from '#domain/statuses.ts';
import type { PageEnd } from '#store/crawls/crawl-pages.ts';
import type { LockedPage } from './lock-known-page.ts';
import { insertPage } from './save-page.ts';

/**
 * Fails the content of a page that could not be fetched. A content that an earlier crawl published stays published; its
 * `sync_status` says that it no longer matches the site.
 */
export async function failPage(
  locked: LockedPage,
  failure: { state: 'failed' | 'gone'; code: ErrorCode; message: string },
): Promise<PageEnd> {
  const { services, scope, crawl, known } = locked;
  const { stores, metrics } = services;
  const { state, code, message } = failure;
  const contentId = known?.content_id ?? (await insertPage(locked, null));
  const isOwnRun = !known || (known.run_id === crawl.id && !isSettled(known.stage));
  if (isOwnRun) {
    const run = { collectionId: crawl.collection_id, runId: crawl.id };
    const failed = await stores.runs.fail(scope, run, [{ content_id: contentId, code, message }]);
    if (failed.length > 0) metrics.countContent('failed', code);
  } else {
    const isGone = state === 'gone';
    const note = isGone
      ? `The site no longer has this page. ${message}`
      : `The last crawl could not fetch this page: ${message}`;
    await stores.crawlContents.markUnsynced(scope, [contentId], {
      syncStatus: isGone ? 'stale' : 'error',
      message: `${note} The stored version stays.`,
    });
  }
  await stores.uploads.addContents(scope, crawl.upload_id, [contentId]);
  const wasPublished = !isOwnRun && known?.stage === 'ready';
  return {
    state: wasPublished ? state : 'failed',
    reason: wasPublished && state === 'gone' ? null : code,
    contentId,
    // The next visit compares with the last successful one.
    etag: known?.etag ?? null,
    lastModified: known?.last_modified ?? null,
    contentHash: known?.seen_hash ?? null,
    fingerprint: known?.seen_fingerprint ?? null,
  };
}
