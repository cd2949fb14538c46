import test, { type ExecutionContext } from 'ava';
import { crawlUrl, urlHash } from '#domain/crawls/crawl-url.ts';
import { query } from '#store/postgres.ts';
import { openCrawl, START_URL } from './open-crawl.ts';

const EN = `${START_URL}en/`;
const OWN_STORES = { stores: <Stores>(inside: Stores) => inside };

/** A crawl of a start page with functions that let its pages be listed by a sitemap and be redirected. */
async function openRedirects(t: ExecutionContext) {
  const opened = await openCrawl(t);
  const { services, database, scope, crawlId, contentId, write } = opened;
  const list = async (url: string) => {
    const crawl = await services.stores.crawls.find(scope, crawlId);
    if (!crawl) throw new Error('the crawl does not exist');
    const pages = [{ url, urlHash: hashOf(url), pathHash: null, reason: null }];
    const placement = { kind: 'page', depth: 1, hops: 0, foundOn: null } as const;
    const limits = { addresses: 100, queriesOfPath: 10 };
    await services.stores.crawlFrontier.add(scope, crawl, { pages, placement, limits });
  };
  const redirect = (from: { url: string; isStart: boolean; hops?: number }, address: string) => {
    const { url, isStart, hops = 0 } = from;
    const content_id = isStart ? contentId : null;
    const page = { url, url_hash: hashOf(url), kind: 'page' as const, content_id, is_start: isStart, hops };
    const target = crawlUrl(address);
    if (!target) throw new Error('not an address of a page');
    return write(page, { kind: 'redirect', to: { ...target, isAllowed: true }, address }, OWN_STORES);
  };
  const waiting = () =>
    query<{ is_start: boolean }>(
      database,
      `select url, hops, depth, is_start, content_id from crawl_pages where state = 'waiting' and kind = 'page'`,
    );
  return { ...opened, list, redirect, waiting };
}

function hashOf(url: string): string {
  return urlHash(crawlUrl(url)?.identity ?? url);
}

const START = { url: START_URL, isStart: true };

test('a start page that redirects to a page which the sitemap lists already is followed there', async (t) => {
  const { contentId, list, redirect, waiting } = await openRedirects(t);
  await list(EN);
  await redirect(START, EN);
  t.deepEqual(await waiting(), [{ url: EN, hops: 1, depth: 0, is_start: true, content_id: contentId }]);
});

test('a start page that redirects is followed also when a sitemap has filled the frontier', async (t) => {
  const { database, contentId, redirect, waiting } = await openRedirects(t);
  await query(database, 'update crawls set found = 1100');
  await redirect(START, EN);
  t.deepEqual(await waiting(), [{ url: EN, hops: 1, depth: 0, is_start: true, content_id: contentId }]);
});

test('a start page whose redirects lead back to it fails because of the circle', async (t) => {
  const { redirect, waiting, pages } = await openRedirects(t);
  await redirect(START, EN);
  t.is((await waiting()).length, 1);
  await redirect({ url: EN, isStart: true, hops: 1 }, START_URL);
  t.deepEqual(await waiting(), []);
  t.like(await pages(), [
    { kind: 'page', state: 'skipped', reason: 'redirect' },
    { kind: 'page', state: 'failed', reason: 'download_rejected' },
    { kind: 'robots' },
  ]);
});

test('a start page that redirects to itself fails because of the circle', async (t) => {
  const { redirect, waiting, pages } = await openRedirects(t);
  await redirect(START, START_URL);
  t.deepEqual(await waiting(), []);
  t.like(await pages(), [{ kind: 'page', state: 'failed', reason: 'download_rejected' }, { kind: 'robots' }]);
});

test('a page that redirects to another spelling of its address is requested by that one, a few times at most', async (t) => {
  const { list, redirect, waiting } = await openRedirects(t);
  const [written, meant] = [`${START_URL}%7Ejoe/?b=1&a=2`, `${START_URL}~joe/?a=2&b=1`];
  await list(written);
  await redirect({ url: written, isStart: false }, meant);
  const asked = (await waiting()).filter(({ is_start: isStart }) => !isStart);
  t.like(asked, [{ url: meant, hops: 1, depth: 1 }]);
  await redirect({ url: meant, isStart: false, hops: 5 }, written);
  t.deepEqual(
    (await waiting()).filter(({ is_start: isStart }) => !isStart),
    [],
  );
});
