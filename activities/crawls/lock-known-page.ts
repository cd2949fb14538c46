import type { Scope } from '#domain/access/scope.ts';
import { urlDedupeKey } from '#operations/crawls/page-content.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** A page that is written while the transaction holds the lock of its crawl. `services.stores` are those of the transaction. */
export type LockedPage = {
  services: Pick<WorkerServices, 'blobs' | 'metrics' | 'crawling'> & { stores: Stores };
  scope: Scope;
  crawl: Crawl;
  page: CrawlPage;
  known: KnownPage | null;
  /** The collection had the page, and it was deleted since. */
  isDeleted: boolean;
};

/** `isTakenOver`: the content that the page had before its request turned out to be that of another page of the crawl. */
type Stored = Pick<LockedPage, 'known' | 'isDeleted'> & { isTakenOver: boolean };

/** Finds the stored version of a page. */
export function findKnownPage(
  stores: Stores,
  scope: Scope,
  { crawl, page }: { crawl: Crawl; page: CrawlPage },
): Promise<KnownPage | null> {
  const { url_hash: urlHash, content_id: contentId } = page;
  return stores.crawlPages.findKnown(scope, crawl, { urlHash, contentId, dedupeKey: urlDedupeKey(page.url) });
}

/** True when the collection still has a content that was found for a page that has no content of its own yet. */
async function isPresent(
  stores: Stores,
  scope: Scope,
  { crawl, page, before }: { crawl: Crawl; page: CrawlPage; before: KnownPage },
): Promise<boolean> {
  if (page.content_id !== null) return false;
  const found = await findKnownPage(stores, scope, { crawl, page: { ...page, content_id: before.content_id } });
  return found?.content_id === before.content_id;
}

/**
 * Finds the stored version of a page and locks its content until the transaction ends, so that a deletion accepted meanwhile is
 * not undone. `before` is what was found before the request: a content deleted since then is not created again.
 */
export async function lockKnownPage(
  stores: Stores,
  scope: Scope,
  { crawl, page, before }: { crawl: Crawl; page: CrawlPage; before: KnownPage | null },
): Promise<Stored> {
  const seen = await findKnownPage(stores, scope, { crawl, page });
  if (seen) await stores.contentChanges.lockWithRuns(scope, [seen.content_id]);
  const locked = seen && (await findKnownPage(stores, scope, { crawl, page }));
  // A second lookup that finds another content found one that is not locked.
  const known = locked?.content_id === seen?.content_id ? locked : null;
  const existed = page.content_id !== null || before !== null || seen !== null;
  const isOther = page.content_id !== null && known?.content_id !== page.content_id;
  const isGone = (existed && known === null) || isOther;
  const isTakenOver = seen === null && before !== null && (await isPresent(stores, scope, { crawl, page, before }));
  return { known, isDeleted: isGone && !isTakenOver, isTakenOver };
}
