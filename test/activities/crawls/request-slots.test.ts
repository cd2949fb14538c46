import test, { type ExecutionContext } from 'ava';
import { hostHashOf, maxFollowUpWaitMs, waitForRequestSlot } from '#activities/crawls/wait-for-request-slot.ts';
import { createSystemStore } from '#store/system.ts';
import { openOwnDatabase, openOwnServices } from '#test/support/harness/own-services.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';
import { fetchRobots } from './fetch-robots.ts';
import { openPages } from './open-pages.ts';

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

/**
 * A site whose robots.txt redirects to the host `to`, on the same port, and a function that fetches it. The next slot of `to` is
 * `takenMs` away.
 */
async function openRedirectedRobots(
  t: ExecutionContext,
  { to, takenMs, maxDelayMs = 30_000 }: { to: string; takenMs: number; maxDelayMs?: number },
) {
  const server = await startTrapServer(t, {
    '/robots.txt': (response, { headers }) => {
      const host = `${to}:${server.port}`;
      if (headers.host === host) response.end('User-agent: *');
      else response.writeHead(301, { location: `http://${host}/robots.txt` }).end();
    },
  });
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const taken = { intervalMs: takenMs, isIntervalKnown: true, maxWaitMs: 0 };
  await services.stores.system.reserveRequestSlot(hostHashOf(`http://${to}:${server.port}/`), taken);
  const origin = `http://site.example.:${server.port}`;
  const request = { egress: egressToTraps(), pages: await openPages(t), origin, delayMs: 100, maxDelayMs };
  return { fetched: () => fetchRobots(services, request), requests: server.requests, port: server.port };
}

test('a robots.txt that redirects to another origin of its host waits for the Crawl-delay that an earlier crawl has read', async (t) => {
  // The same host as `site.example.`, as `https` is the same host as `http`.
  const { fetched, requests } = await openRedirectedRobots(t, { to: 'site.example', takenMs: 7_000 });
  t.like(await fetched(), { kind: 'robots', robots: 'User-agent: *' });
  t.is(requests.length, 2);
});

for (const [host, to, maxDelayMs] of [
  ['another host', 'other.example', 30_000],
  ['its own host', 'site.example', 86_400_000],
] as const) {
  test(`a redirect to ${host}, whose slot is ten minutes away, is postponed and no failure for which a host is paused`, async (t) => {
    const { fetched, requests, port } = await openRedirectedRobots(t, { to, takenMs: 600_000, maxDelayMs });
    t.like(await fetched(), { kind: 'postponed', url: `http://${to}:${port}/robots.txt` });
    t.is(requests.length, 1);
  });
}

test('the redirects of a file wait for slots no longer than two minutes in all, however long the intervals of a host may be', (t) => {
  const waits = (maxDelayMs: number, ...waited: number[]) =>
    maxFollowUpWaitMs(
      { services: { crawling: { delayMs: 0, maxDelayMs } }, crawl: { origin: 'http://a.example' } },
      'http://a.example/',
      ...waited,
    );
  t.is(waits(30_000), 90_000);
  t.is(waits(86_400_000), 120_000);
  t.is(waits(86_400_000, 115_000), 5_000);
  t.is(waits(86_400_000, 125_000), 0);
});
