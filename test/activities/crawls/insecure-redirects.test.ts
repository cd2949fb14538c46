import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer, TRAP_CERTIFICATE } from '#test/support/servers/trap-server.ts';
import { fetchRobots } from './fetch-robots.ts';
import { openPages } from './open-pages.ts';

test('a page that a server behind a TLS proxy redirects to http stays within the site', async (t) => {
  const targets: Record<string, string> = {};
  const server = await startTrapServer(
    t,
    {
      '/docs': (response) => void response.writeHead(301, { location: targets['/docs'] }).end(),
      '/insecure': (response) => void response.writeHead(301, { location: targets['/insecure'] }).end(),
      '/away': (response) => void response.writeHead(301, { location: targets['/away'] }).end(),
      '/broken': (response) => void response.writeHead(301, { location: 'http://[' }).end(),
    },
    { tls: true },
  );
  const site = `trap.test:${server.port}`;
  targets['/docs'] = `http://${site}/docs/`;
  targets['/insecure'] = `http://${site}/insecure`;
  targets['/away'] = `http://other.test:${server.port}/`;
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000 };
  const egress = egressToTraps({ certificateAuthority: TRAP_CERTIFICATE });
  const pages = await openPages(t);
  // A redirect uses no other service of a worker.
  const worker = { egress, crawling, downloads: { maxBytes: 1_000 }, pages } as unknown as WorkerServices;
  const fetched = (path: string) => {
    const { signal } = new AbortController();
    const crawl = { workspace_id: 'a workspace', origin: `https://${site}`, robots: '' };
    const page = { kind: 'page', url: `https://${site}${path}` };
    return fetchPage(worker, { crawl, page, known: null, signal } as unknown as PageRequest);
  };
  const secure = `https://${site}/docs/`;
  t.like(await fetched('/docs'), { kind: 'redirect', to: { url: secure, isAllowed: true }, address: secure });
  // Requested by https again, it would redirect for ever.
  t.like(await fetched('/insecure'), { kind: 'redirect', to: null, address: targets['/insecure'] });
  t.like(await fetched('/away'), { kind: 'redirect', to: null, address: targets['/away'] });
  t.like(await fetched('/broken'), { kind: 'redirect', to: null, address: '' });
});

test('a robots.txt that a server behind a TLS proxy redirects to http is read by https', async (t) => {
  const server = await startTrapServer(
    t,
    {
      '/robots.txt': (response, { headers }) =>
        void response.writeHead(301, { location: `http://${headers.host}/rules.txt` }).end(),
      '/rules.txt': (response) => void response.end('User-agent: *'),
    },
    { tls: true },
  );
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const egress = egressToTraps({ certificateAuthority: TRAP_CERTIFICATE });
  const fetched = await fetchRobots(services, {
    egress,
    pages: await openPages(t),
    origin: `https://trap.test:${server.port}`,
  });
  t.like(fetched, { kind: 'robots', robots: 'User-agent: *' });
});
