import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { openBehindTheApi, type BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { crawl, crawled, startCrawl, untilOver } from '#test/support/harness/crawl-flow.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';
import { startSecondWorker } from '#test/support/harness/second-worker.ts';
import { htmlPage, startSite, type SitePage } from '#test/support/servers/site-server.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTrapSite } from '#test/support/servers/trap-site.ts';

const stack = testStack();
const { worker } = stack.processes;
let behind: BehindTheApi;

test.before(() => (behind = openBehindTheApi(stack)));
test.after.always(() => behind.close());
test.afterEach.always('the worker runs again', () => worker.start());

test.serial('killing the worker during a crawl neither loses nor duplicates a page', async (t) => {
  t.timeout(480_000);
  const limits = { maxDepth: 4, queriesOfPath: 7 };
  const site = await startTrapSite({ articles: 300, ...limits });
  t.teardown(site.close);
  const flow = await startFlow();
  const fields = { max_pages: '2000', max_depth: String(limits.maxDepth) };
  const id = await startCrawl(flow, `${site.origin}/`, fields);
  for (const reached of [5, 60, 200]) {
    await until(
      () => crawled(flow, id),
      ({ crawl: { pages, status } }) => status !== 'running' || pages.fetched + pages.failed >= reached,
    );
    await worker.signal('SIGKILL');
    await worker.start();
  }
  await untilOver(flow, id);
  await retryCrashed(flow, id);
  const done = await crawled(flow, id);
  const expected = [...site.expected].map(([path, status]) => `${path.split('?')[0]} ${status}`);
  const found = done.contents.map(({ name, status }) => `${name.replace(site.origin, '')} ${status}`);
  const unexpected = without(found, expected);
  for (const { name, status, status_message: message } of done.contents) {
    if (unexpected.includes(`${name.replace(site.origin, '')} ${status}`)) t.log(`${name}: ${message}`);
  }
  t.deepEqual({ missing: without(expected, found), unexpected }, { missing: [], unexpected: [] });
  t.like(done.crawl, { status: 'completed', pages: { waiting: 0 } });
  const urls = await behind.query<{ url: string }>(`select url from contents where workspace_id = :id`, {
    id: flow.workspaceId,
  });
  t.is(new Set(urls.map(({ url }) => url)).size, urls.length, 'no page is stored twice');
  await eventually('nothing is lost, duplicated or left behind', async () => {
    await behind.makeDue(flow.workspaceId);
    return isSound(await takeCensus(behind, flow.workspaceId));
  });
  t.deepEqual(problemsOf(await takeCensus(behind, flow.workspaceId)), []);
});

test.serial('the rate limit of a host holds across several crawls and workers, one of which is killed', async (t) => {
  t.timeout(480_000);
  const everyMs = 500;
  const arrivals: number[] = [];
  const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
  const page =
    (html: string): SitePage =>
    (response) => {
      arrivals.push(performance.now());
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    };
  const site = await startSite({
    '/robots.txt': (response) => void response.end(`User-agent: *\nCrawl-delay: ${everyMs / 1000}`),
    '/': page(htmlPage('start', paths)),
    ...Object.fromEntries(paths.map((path) => [path, page(htmlPage(`page ${path}`))])),
  });
  t.teardown(site.close);
  const second = await startSecondWorker(stack);
  t.teardown(() => second.stop());
  const crawls = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const flow = await startFlow();
      return { flow, id: await startCrawl(flow, `${site.origin}/`) };
    }),
  );
  await until(
    async () => arrivals.length,
    (count) => count >= 8,
  );
  await worker.signal('SIGKILL');
  await worker.start();
  for (const { flow, id } of crawls) t.like(await untilOver(flow, id), { progress: { by_status: { ready: 9 } } });
  t.true(arrivals.length >= 36);
  // Without a shared rate limit, the four crawls would take a quarter of that time or less.
  const tookMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  t.true(tookMs >= 0.6 * everyMs * (arrivals.length - 1), `${arrivals.length} requests in ${tookMs} ms`);
});

test.serial('a crawl whose workflow was terminated ends, and its unfinished contents fail', async (t) => {
  const { flow, site, id, handle } = await startCrawlWithoutWorker(t);
  await eventually('it is terminated', () => handle.terminate('by a test').then(() => true));
  await worker.start();
  const over = await eventually('the crawl is over', async () => {
    await behind.makeDue(flow.workspaceId);
    const now = await crawled(flow, id);
    return now.status === 'running' ? null : now;
  });
  t.like(over, { status: 'failed', progress: { by_status: { failed: 1 } } });
  t.like(over.crawl, { status: 'failed', pages: { waiting: 0 } });
  t.regex(over.crawl.status_message ?? '', /upload the URL again/);
  const again = await crawl(flow, `${site.origin}/`);
  t.like(again, { status: 'completed', progress: { total: 2, by_status: { ready: 2 } } });
});

test.serial('an operator can pause, resume and cancel a crawl with signals', async (t) => {
  const { flow, id, handle } = await startCrawlWithoutWorker(t);
  await eventually('it is paused', () => handle.signal('pause').then(() => true));
  await worker.start();
  await eventually('the crawl is paused', async () => (await crawled(flow, id)).status === 'paused');
  await handle.signal('resume');
  await eventually('the crawl continues', async () => (await crawled(flow, id)).status !== 'paused');
  await handle.signal('cancel').catch(() => undefined);
  const over = await untilOver(flow, id);
  t.true(['cancelled', 'completed'].includes(over.crawl.status));
  await t.notThrowsAsync(handle.result());
});

/** Retries the pages that were being read when two workers died: those fail by themselves, so that no page can end all workers. */
async function retryCrashed(flow: Flow, uploadId: string): Promise<void> {
  const { contents } = await crawled(flow, uploadId);
  for (const { content_id: id, error_code: code } of contents) {
    if (code !== 'repeated_crash') continue;
    await flow.control(`/contents/${id}/retry`);
    await flow.reach(id, 'ready', 'failed');
  }
}

/** The lines that occur more often than among the others. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = Map.groupBy(others, (line) => line);
  return lines.filter((line) => left.get(line)?.pop() === undefined);
}

/** Stops the worker and starts a crawl of two pages, which no worker has begun. Returns it with the handle of its workflow. */
async function startCrawlWithoutWorker(t: ExecutionContext) {
  const connection = await Connection.connect({ address: stack.temporal.address });
  t.teardown(() => connection.close());
  const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a') });
  t.teardown(site.close);
  const flow = await startFlow();
  await worker.stop();
  const id = await startCrawl(flow, `${site.origin}/`);
  const handle = workflow.getHandle(crawlWorkflowId((await crawled(flow, id)).crawl.id));
  return { flow, site, id, handle };
}
