import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import { urlDedupeKey } from '#operations/crawls/page-content.ts';
import type { Stores } from '#store/stores.ts';
import { openCrawl, START_URL, type On, type Outcome } from './open-crawl.ts';

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
