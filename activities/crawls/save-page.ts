import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import { isSettled } from '#domain/statuses.ts';
import { pageContent, urlDedupeKey } from '#operations/crawls/page-content.ts';
import type { CrawlPage, KnownPage, PageEnd } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import type { PageOutcome } from './page-outcome.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** A page under the lock of its crawl. `services.stores` are those of the transaction. */
export type Writing = {
  services: Pick<WorkerServices, 'blobs' | 'metrics' | 'crawling'> & { stores: Stores };
  scope: Scope;
  crawl: Crawl;
  page: CrawlPage;
  known: KnownPage | null;
  /** The collection had the page, and it was deleted meanwhile. */
  isDeleted: boolean;
};

type Document = Extract<PageOutcome, { kind: 'document' }>;

/** What of a page's content there is decides what becomes of it. */
type Fate = 'insert' | 'fill' | 'restart' | 'keep';

/** Looks up what the collection has of a page. */
export function findKnown(
  stores: Stores,
  scope: Scope,
  { crawl, page }: { crawl: Crawl; page: CrawlPage },
): Promise<KnownPage | null> {
  const { url_hash: urlHash, content_id: contentId } = page;
  return stores.crawlPages.known(scope, crawl, { urlHash, contentId, dedupeKey: urlDedupeKey(page.url) });
}

/**
 * Holds what the collection has of a page until the transaction ends, so that no deletion is accepted in between and then undone.
 * `before` is what was known of it earlier: what was deleted since does not come back by itself.
 */
export async function holdKnown(
  stores: Stores,
  scope: Scope,
  { crawl, page, before }: { crawl: Crawl; page: CrawlPage; before: KnownPage | null },
): Promise<Pick<Writing, 'known' | 'isDeleted'>> {
  const seen = await findKnown(stores, scope, { crawl, page });
  if (seen) await stores.contentChanges.lockWithRuns(scope, [seen.content_id]);
  const held = seen && (await findKnown(stores, scope, { crawl, page }));
  // Another one than was locked is not held.
  const known = held?.content_id === seen?.content_id ? held : null;
  const wasThere = page.content_id !== null || before !== null || seen !== null;
  const isOther = page.content_id !== null && known?.content_id !== page.content_id;
  return { known, isDeleted: (wasThere && known === null) || isOther };
}

/** Makes a fetched document a content of the upload: a new one, a new version of the one there is, or none for one that says the same. */
export async function savePage(writing: Writing, document: Document): Promise<PageEnd> {
  const { scope, crawl, known } = writing;
  const { stores } = writing.services;
  const { type, blob, validators, fingerprint } = document;
  const file = { type, size: blob.sizeBytes, content_hash: blob.sha256 };
  const isSame = known !== null && known.main_text && saysTheSame(known, document);
  const fate = fateOf(crawl, known, isSame);
  let contentId = known?.content_id ?? null;
  if (fate === 'insert') contentId = await insertPage(writing, file);
  if (contentId === null) throw new Error('a page that is taken has a content');
  if (fate === 'fill') {
    await stores.crawlContents.setFile(scope, contentId, file);
    await stores.crawlContents.readMainText(scope, crawl.id, contentId);
  } else if (fate === 'restart') {
    await stores.crawlContents.setFile(scope, contentId, file);
    await restartPage(writing, contentId);
  } else if (fate === 'keep') await stores.crawlContents.markSeen(scope, contentId);
  await stores.uploads.addContents(scope, crawl.upload_id, [contentId]);
  const state = fate === 'keep' ? ('unchanged' as const) : ('fetched' as const);
  // What was seen is what the collection has, where it says the same.
  const contentHash = fate === 'keep' && isSame ? known.content_hash : blob.sha256;
  return { state, contentId, ...validators, contentHash, fingerprint };
}

/** The same bytes, or others that a reader makes the same of, as those that the collection still has. */
function saysTheSame(known: KnownPage, { blob, fingerprint }: Document): boolean {
  if (known.content_hash === blob.sha256) return true;
  const isSeen = known.content_hash !== null && known.content_hash === known.seen_hash;
  return isSeen && fingerprint !== null && known.seen_fingerprint === fingerprint;
}

/** A page that the site says is as it was. */
export async function saveUnchangedPage(
  { services, scope, crawl, known }: Writing,
  { validators }: Extract<PageOutcome, { kind: 'unchanged' }>,
): Promise<PageEnd> {
  if (!known) throw new Error('only what is known is asked for conditionally');
  await services.stores.crawlContents.markSeen(scope, known.content_id);
  await services.stores.uploads.addContents(scope, crawl.upload_id, [known.content_id]);
  const { content_id: contentId, content_hash: contentHash } = known;
  const fingerprint = known.seen_hash === contentHash ? known.seen_fingerprint : null;
  return { state: 'unchanged', contentId, ...validators, contentHash, fingerprint };
}

/**
 * A page that could not be had: its content fails, with a message of its own. One that is published stays so, and says that it is
 * no longer what the site has.
 */
export async function failPage(
  writing: Writing,
  failure: { state: 'failed' | 'gone'; code: string; message: string },
): Promise<PageEnd> {
  const { services, scope, crawl, known } = writing;
  const { stores, metrics } = services;
  const { state, code, message } = failure;
  const contentId = known?.content_id ?? (await insertPage(writing, null));
  const isOurs = !known || (known.run_id === crawl.id && !isSettled(known.stage));
  if (isOurs) {
    const run = { collectionId: crawl.collection_id, runId: crawl.id };
    const failed = await stores.runs.fail(scope, run, [{ content_id: contentId, code, message }]);
    if (failed.length > 0) metrics.countContent('failed', code);
  } else {
    const isGone = state === 'gone';
    const note = isGone ? `The site no longer has this page. ${message}` : `The last crawl failed here: ${message}`;
    const as = { syncStatus: isGone ? ('stale' as const) : ('error' as const), message: `${note} What is here stays.` };
    await stores.crawlContents.markUnsynced(scope, [contentId], as);
  }
  await stores.uploads.addContents(scope, crawl.upload_id, [contentId]);
  const wasThere = !isOurs && known?.stage === 'ready';
  return { state: wasThere ? state : 'failed', reason: wasThere && state === 'gone' ? null : code, contentId };
}

function fateOf({ id, upload_id, page_options }: Crawl, known: KnownPage | null, isSame: boolean): Fate {
  if (!known) return 'insert';
  const isWorking = !isSettled(known.stage);
  if (known.run_id === id && (isWorking || known.content_hash === null)) return 'fill';
  if (isWorking) return isSame ? 'keep' : 'restart';
  // Cancelled while this crawl was under way: that was meant.
  if (known.stage === 'cancelled' && known.upload_id === upload_id) return 'keep';
  const isDone = known.stage === 'ready' || (known.stage === 'stored' && !page_options.ingest);
  return isDone && isSame ? 'keep' : 'restart';
}

/** The present stage of a page in a new run. */
function stageOf({ page_options }: Crawl): 'pending' | 'stored' {
  return page_options.ingest ? 'pending' : 'stored';
}

async function insertPage(
  { services, scope, crawl, page }: Writing,
  file: { type: string; size: number; content_hash: string } | null,
): Promise<string> {
  const { stores } = services;
  const { page_options: options, collection_id } = crawl;
  // What failed has come to an end, whether it was to be ingested or not.
  const stage = file === null ? 'pending' : stageOf(crawl);
  const linkedTo = page.found_on ?? (page.is_start ? null : crawl.start_content_id);
  const content = { ...pageContent(page.url, options, linkedTo), ...file };
  await stores.contents.insert(scope, collection_id, [{ ...content, status: stage }]);
  await stores.runControl.insert(scope, collection_id, [
    {
      content_id: content.id,
      upload_id: crawl.upload_id,
      run_id: crawl.id,
      workflow_id: crawlWorkflowId(crawl.id),
      stage,
      reader: options.reader,
      dedupe_key: urlDedupeKey(page.url),
      external_id: null,
      main_text: true,
    },
  ]);
  return content.id;
}

async function restartPage({ services, scope, crawl }: Writing, contentId: string): Promise<void> {
  const { stores } = services;
  const { metadata, description, reader } = crawl.page_options;
  // The publication of the run brings what filters see into the index.
  await stores.contents.updateFromUpload(scope, [
    { id: contentId, metadata: Object.keys(metadata).length > 0 ? metadata : null, description },
  ]);
  await stores.runControl.restart(scope, crawl.collection_id, {
    contentIds: [contentId],
    runId: crawl.id,
    workflowId: crawlWorkflowId(crawl.id),
    stage: stageOf(crawl),
    reader,
    uploadId: crawl.upload_id,
    mainText: true,
  });
}
