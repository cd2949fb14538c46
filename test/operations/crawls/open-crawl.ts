import type { ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import type { FinalOutcome } from '#activities/crawls/page-request.ts';
import { writePage } from '#activities/crawls/write-page.ts';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import { deleteContent } from '#operations/contents/delete-content.ts';
import { urlDedupeKey } from '#operations/crawls/page-content.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import { query } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

export const START_URL = 'http://site.example/';
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
export async function openCrawl(t: ExecutionContext, { metadata = {} }: { metadata?: Record<string, string> } = {}) {
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
  const pageOptions = { metadata, description: null, reader: 'native', ingest: true, file_data: {} };
  const at = { start_url: START_URL, start_hash: urlHash(START_URL), origin: START_URL, robots_url: START_URL };
  const options = { max_pages: 5, max_depth: 0, page_options: { ...pageOptions, created_by: 'a test' } };
  const key = { id, collection_id: collectionId, upload_id: id, start_content_id: contentId };
  await services.stores.crawls.insert(scope, [{ ...key, ...at, ...options }]);
  const blob = await services.blobs.put(scope.workspaceId, once('New words.'), 1e6);
  const remove = () => deleteContent(services, caller, contentId);
  const page = { url: START_URL, depth: 0, hops: 0, found_on: null, attempts: 1, reason: null };
  type PageOf = Pick<CrawlPage, 'url_hash' | 'kind' | 'content_id' | 'is_start'> & { url?: string; hops?: number };
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

export type Outcome = FinalOutcome;
export type On = { stores: (inside: Stores) => Stores; before?: KnownPage | null };
