import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { isSettled } from '#domain/statuses.ts';
import { pageContent, urlDedupeKey } from '#operations/crawls/page-content.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import type { KnownPage, PageEnd } from '#store/crawls/crawl-pages.ts';
import type { CrawledFile } from '#store/crawls/crawl-contents.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { PageOutcome } from './page-request.ts';
import type { LockedPage } from './lock-known-page.ts';

type Document = Extract<PageOutcome, { kind: 'document' }>;

/**
 * What happens to the content of a fetched page: it is created (`insert`), gets its first bytes (`fill`), gets new bytes and a
 * new run (`restart`), or stays as it is (`keep`).
 */
type PageAction = 'insert' | 'fill' | 'restart' | 'keep';

/** Saves a fetched document as a content of the upload: a new one, a new version of the stored one, or no change at all. */
export async function savePage(locked: LockedPage, document: Document): Promise<PageEnd> {
  const { scope, crawl, known } = locked;
  const { stores } = locked.services;
  const { type, blob, validators, fingerprint } = document;
  const file = { type, size: blob.sizeBytes, content_hash: blob.sha256 };
  const isSame = known !== null && known.main_text && hasSameText(known, document);
  const action = actionFor(crawl, known, isSame);
  let contentId = known?.content_id ?? null;
  if (action === 'insert') contentId = await insertPage(locked, file);
  if (contentId === null) throw new Error('a saved page must have a content');
  if (action === 'fill') {
    await setFile(locked, contentId, file);
    await stores.crawlContents.setMainText(scope, crawl.id, contentId);
    if (!crawl.page_options.ingest) await stores.crawlContents.markStored(scope, crawl.id, contentId);
  } else if (action === 'restart') {
    await setFile(locked, contentId, file);
    await restartPage(locked, contentId);
  } else if (action === 'keep') await stores.crawlContents.markSynced(scope, contentId);
  await stores.uploads.addContents(scope, crawl.upload_id, [contentId]);
  const state = action === 'keep' ? ('unchanged' as const) : ('fetched' as const);
  // When the text is the same, the stored bytes are kept, so their hash is what this crawl saw.
  const contentHash = action === 'keep' && isSame ? known.content_hash : blob.sha256;
  return { state, contentId, ...validators, contentHash, fingerprint };
}

/** Sets the file of a content, whose fields other collections of the content get at once. */
async function setFile({ services, scope, crawl }: LockedPage, contentId: string, file: CrawledFile): Promise<void> {
  const { stores } = services;
  const place = { contentId, collectionId: crawl.collection_id };
  await enqueueReprojection(stores, scope, await stores.crawlContents.setFile(scope, place, file));
}

/** True when the document has the stored bytes, or others with the fingerprint that the last crawl saw for the stored bytes. */
function hasSameText(known: KnownPage, { blob, fingerprint }: Document): boolean {
  if (known.content_hash === blob.sha256) return true;
  const isSeen = known.content_hash !== null && known.content_hash === known.seen_hash;
  return isSeen && fingerprint !== null && known.seen_fingerprint === fingerprint;
}

/** Saves a page that the site reported as not modified. */
export async function saveUnchangedPage(
  { services, scope, crawl, known }: LockedPage,
  { validators }: Extract<PageOutcome, { kind: 'unchanged' }>,
): Promise<PageEnd> {
  if (!known) throw new Error('only known pages are requested conditionally');
  await services.stores.crawlContents.markSynced(scope, known.content_id);
  await services.stores.uploads.addContents(scope, crawl.upload_id, [known.content_id]);
  const { content_id: contentId, content_hash: contentHash } = known;
  const fingerprint = known.seen_hash === contentHash ? known.seen_fingerprint : null;
  return { state: 'unchanged', contentId, ...validators, contentHash, fingerprint };
}

function actionFor({ id, upload_id, page_options }: Crawl, known: KnownPage | null, isSame: boolean): PageAction {
  if (!known) return 'insert';
  const isWorking = !isSettled(known.stage);
  if (known.run_id === id && (isWorking || known.content_hash === null)) return 'fill';
  if (isWorking) return isSame ? 'keep' : 'restart';
  // The user cancelled it while this crawl was running.
  if (known.stage === 'cancelled' && known.upload_id === upload_id) return 'keep';
  const isDone = known.stage === 'ready' || (known.stage === 'stored' && !page_options.ingest);
  return isDone && isSame ? 'keep' : 'restart';
}

/** Returns the stage with which a page's run starts. */
function initialStage({ page_options }: Crawl): 'pending' | 'stored' {
  return page_options.ingest ? 'pending' : 'stored';
}

export async function insertPage(
  { services, scope, crawl, page }: LockedPage,
  file: { type: string; size: number; content_hash: string } | null,
): Promise<string> {
  const { stores } = services;
  const { page_options: options, collection_id } = crawl;
  // A page without a file is about to fail, which requires a pending run even when pages are stored only.
  const stage = file === null ? 'pending' : initialStage(crawl);
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

async function restartPage({ services, scope, crawl }: LockedPage, contentId: string): Promise<void> {
  const { stores } = services;
  const { metadata, adds_metadata = Object.keys(metadata).length === 0, description, reader } = crawl.page_options;
  const changed = await stores.contents.updateFromUpload(scope, [
    { id: contentId, metadata, adds_metadata, description },
  ]);
  await stores.runControl.restart(scope, crawl.collection_id, {
    contentIds: [contentId],
    runId: crawl.id,
    workflowId: crawlWorkflowId(crawl.id),
    stage: initialStage(crawl),
    reader,
    uploadId: crawl.upload_id,
    mainText: true,
  });
  // The publication of the run writes changed metadata to the index; until then, or without one, the present version has it too.
  await enqueueReprojection(stores, scope, changed);
}
