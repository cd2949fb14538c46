import test from 'ava';
import { hostHashOf, waitForRequestSlot } from '#activities/crawls/wait-for-request-slot.ts';
import { createSystemStore } from '#store/system.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('the crawl delay of a site does not keep others away from a host to which its sitemaps redirect', async (t) => {
  const system = createSystemStore(await openOwnDatabase(t));
  const services = { crawling: { delayMs: 0, maxDelayMs: 600_000 }, stores: { system } };
  const crawl = { origin: 'http://slow.example', robots: '', delay_ms: 600_000 };
  const { signal } = new AbortController();
  const others = { intervalMs: 0, isIntervalKnown: false, maxWaitMs: 1_000 };
  for (const [url, isFree] of [
    ['http://other.example/sitemap.xml', true],
    ['http://slow.example/sitemap.xml', false],
  ] as const) {
    const slot = await waitForRequestSlot({ services, crawl, signal }, { url, maxWaitMs: 1_000 });
    t.true(slot.isReserved, url);
    t.is((await system.reserveRequestSlot(hostHashOf(url), others)).isReserved, isFree, url);
  }
});
