import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import type { PageOutcome } from '#activities/crawls/page-request.ts';
import { writePage } from '#activities/crawls/write-page.ts';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import { deleteContent } from '#operations/contents/delete-content.ts';
import { urlDedupeKey } from '#operations/crawls/page-content.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import { query } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const START_URL = 'http://site.example/';
const CRAWLING = {
  userAgent: 'a test',
  delayMs: 0,
  maxDelayMs: 0,
  pageTimeoutMs: 1_000,
  maxPageBytes: 1e6,
  queriesOfPath: 10,
};

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** Creates a crawl whose page is already in the collection, and functions that let it write the page while it is deleted. */
async function openCrawl(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { caller, collectionId } = place;
  const scope = { ...place.scope, collectionIds: [collectionId] };
  const { contentIds } = await addContents(place);
  const contentId = contentIds[0] ?? '';
  const dedupeKey = urlDedupeKey(START_URL);
  await query(database, 'update content_collections set dedupe_key = :dedupeKey', { dedupeKey });
  const id = uuidv7();
  const upload = { id, collectionId, contentType: 'text', ingest: true, workflowId: null, total: 1, errors: [] };
  await services.stores.uploads.insert(scope, { ...upload, createdBy: 'a test', contentIds, isCounted: false });
  const pageOptions = { metadata: {}, description: null, reader: 'native', ingest: true, file_data: {} };
  const at = { start_url: START_URL, start_hash: urlHash(START_URL), origin: START_URL, robots_url: START_URL };
  const options = { max_pages: 5, max_depth: 0, page_options: { ...pageOptions, created_by: 'a test' } };
  const key = { id, collection_id: collectionId, upload_id: id, start_content_id: contentId };
  await services.stores.crawls.insert(scope, [{ ...key, ...at, ...options }]);
  const blob = await services.blobs.put(scope.workspaceId, once('New words.'), 1e6);
  const remove = () => deleteContent(services, caller, contentId);
  const page = { url: START_URL, depth: 0, hops: 0, found_on: null, attempts: 1 };
  type PageOf = Pick<CrawlPage, 'url_hash' | 'kind' | 'content_id' | 'is_start'> & { url?: string };
  const write = (of: PageOf, outcome: Outcome, on: On) =>
    services.stores.transaction(async (stores) => {
      const crawl = await stores.crawls.lock(scope, id);
      if (!crawl) throw new Error('the crawl does not exist');
      const own = { ...services, crawling: CRAWLING, stores: on.stores(stores) };
      await writePage({ services: own, scope, crawl, page: { ...page, ...of }, before: on.before ?? null }, outcome);
    });
  const document: Extract<Outcome, { kind: 'document' }> = {
    kind: 'document',
    type: 'text/html',
    blob,
    canonical: null,
    links: [],
    isCut: false,
    validators: { etag: null, lastModified: null },
    fingerprint: null,
  };
  const rows = () =>
    query(database, 'select content_id, stage from content_collections where workspace_id = :workspaceId', scope);
  const pages = () =>
    query<{ kind: string; state: string }>(database, `select kind, state, reason from crawl_pages order by kind, url`);
  return { services, database, contentId, scope, crawlId: id, remove, write, document, rows, pages };
}

type Outcome = Exclude<PageOutcome, { kind: 'retry' }>;
type On = { stores: (inside: Stores) => Stores; before?: KnownPage | null };

/** Wraps stores so that `work` runs directly after the first lookup of a page, before the result is used. */
function afterFirstLookup(work: () => Promise<unknown>): (inside: Stores) => Stores {
  let isDone = false;
  return (inside) => ({
    ...inside,
    crawlPages: {
      ...inside.crawlPages,
      findKnown: async (...args) => {
        const known = await inside.crawlPages.findKnown(...args);
        if (!isDone) await work();
        isDone = true;
        return known;
      },
    },
  });
}

for (const named of ['by its content', 'by its address'] as const) {
  test(`a page, known ${named}, whose deletion is accepted while it is written does not reappear`, async (t) => {
    const { contentId, remove, write, document, rows, pages } = await openCrawl(t);
    const content_id = named === 'by its content' ? contentId : null;
    const page = { url_hash: urlHash(START_URL), kind: 'page' as const, content_id, is_start: content_id !== null };
    await write(page, document, { stores: afterFirstLookup(remove) });
    t.deepEqual(await rows(), [{ content_id: contentId, stage: 'deleting' }]);
    t.like((await pages())[0], { kind: 'page', state: 'skipped', reason: 'deleted' });
  });
}

test('a page whose deletion is accepted between its request and its response does not reappear', async (t) => {
  const { services, scope, crawlId, contentId, remove, write, document, rows, pages } = await openCrawl(t);
  const crawl = await services.stores.crawls.find(scope, crawlId);
  if (!crawl) throw new Error('the crawl does not exist');
  const address = { urlHash: urlHash(START_URL), contentId: null, dedupeKey: urlDedupeKey(START_URL) };
  const before = await services.stores.crawlPages.findKnown(scope, crawl, address);
  t.is(before?.content_id, contentId);
  await remove();
  const page = { url_hash: urlHash(START_URL), kind: 'page' as const, content_id: null, is_start: false };
  await write(page, document, { stores: (inside) => inside, before });
  t.deepEqual(await rows(), [{ content_id: contentId, stage: 'deleting' }]);
  t.like((await pages())[0], { state: 'skipped', reason: 'deleted' });
});

test('a page whose content turns out to be that of another page is not taken for deleted', async (t) => {
  const { services, scope, crawlId, contentId, write, document, rows, pages } = await openCrawl(t);
  const crawl = await services.stores.crawls.find(scope, crawlId);
  if (!crawl) throw new Error('the crawl does not exist');
  const url = `${START_URL}docs/`;
  const urlHashOfPage = urlHash(url);
  const found = { url, urlHash: urlHashOfPage, pathHash: null, reason: null };
  const placement = { kind: 'page', depth: 1, hops: 0, foundOn: null } as const;
  const limits = { addresses: 100, queriesOfPath: 10 };
  await services.stores.crawlFrontier.add(scope, crawl, { pages: [found], placement, limits });
  const start = { urlHash: urlHash(START_URL), contentId, dedupeKey: urlDedupeKey(START_URL) };
  const before = await services.stores.crawlPages.findKnown(scope, crawl, start);
  const page = { url, url_hash: urlHashOfPage, kind: 'page' as const, content_id: null, is_start: false };
  const on: On = { stores: (inside) => inside, before };
  const unchanged: Outcome = { kind: 'unchanged', links: [], isCut: false, validators: document.validators };
  await write(page, unchanged, on);
  t.is((await pages()).filter(({ state }) => state === 'waiting').length, 3, 'it is requested again');
  await write(page, document, on);
  t.is((await rows()).length, 2, 'it becomes a content of its own');
});

test('a start page that is deleted while its site is found to disallow crawling does not reappear', async (t) => {
  const { contentId, remove, write, rows, pages } = await openCrawl(t);
  const refused: Outcome = { kind: 'robots', robots: '', delayMs: null, sitemaps: [], isStartAllowed: false };
  const page = { url_hash: 'robots', kind: 'robots' as const, content_id: null, is_start: false };
  await write(page, refused, { stores: afterFirstLookup(remove) });
  t.deepEqual(await rows(), [{ content_id: contentId, stage: 'deleting' }]);
  t.like((await pages())[0], { kind: 'page', state: 'skipped', reason: 'deleted' });
});

test('a content that is being deleted gets no new run', async (t) => {
  const { services, scope, contentId, remove, rows } = await openCrawl(t);
  await remove();
  const run = { contentIds: [contentId], runId: uuidv7(), workflowId: null, stage: 'pending' as const };
  await services.stores.runControl.restart(scope, scope.collectionIds[0] ?? '', run);
  t.deepEqual(await rows(), [{ content_id: contentId, stage: 'deleting' }]);
});
