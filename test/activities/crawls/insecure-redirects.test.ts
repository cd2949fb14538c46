import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { runTask } from '#providers/crawler/run-task.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer, TRAP_CERTIFICATE } from '#test/support/servers/trap-server.ts';

test('a page that a server behind a TLS proxy redirects to http stays within the site', async (t) => {
  const targets: Record<string, string> = {};
  const server = await startTrapServer(
    t,
    {
      '/docs': (response) => void response.writeHead(301, { location: targets['/docs'] }).end(),
      '/away': (response) => void response.writeHead(301, { location: targets['/away'] }).end(),
      '/broken': (response) => void response.writeHead(301, { location: 'http://[' }).end(),
    },
    { tls: true },
  );
  const site = `trap.test:${server.port}`;
  Object.assign(targets, { '/docs': `http://${site}/docs/`, '/away': `http://other.test:${server.port}/` });
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000 };
  const pages = { inspect: (_file: null, payload: unknown) => runTask({ inputPath: '', outputPrefix: '', payload }) };
  const egress = egressToTraps({ certificateAuthority: TRAP_CERTIFICATE });
  // A redirect uses no other service of a worker. Its target is evaluated in this process.
  const worker = { egress, crawling, downloads: { maxBytes: 1_000 }, pages } as unknown as WorkerServices;
  const fetched = (path: string) => {
    const { signal } = new AbortController();
    const crawl = { workspace_id: 'a workspace', origin: `https://${site}`, robots: '' };
    const page = { kind: 'page', url: `https://${site}${path}` };
    return fetchPage(worker, { crawl, page, known: null, signal } as unknown as PageRequest);
  };
  const secure = `https://${site}/docs/`;
  t.like(await fetched('/docs'), { kind: 'redirect', to: { url: secure, isAllowed: true }, address: secure });
  t.like(await fetched('/away'), { kind: 'redirect', to: null, address: targets['/away'] });
  t.like(await fetched('/broken'), { kind: 'redirect', to: null, address: '' });
});
