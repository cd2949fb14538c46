import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { apiClient, formFor } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { crawl, crawled, startCrawl, statusesOf, untilOver } from '#test/support/harness/crawl-flow.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { countWorkspaceRows } from '#test/support/fixtures/workspace-traces.ts';

/** Starts a site that holds every response until it is released, so that a test can act during a crawl. */
async function startGate() {
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const site = await startSite({
    '/': htmlPage('start', paths),
    ...Object.fromEntries(
      paths.map((path) => [
        path,
        (response: Parameters<Exclude<Parameters<typeof startSite>[0][string], string>>[0]) => {
          const answer = () =>
            void response.writeHead(200, { 'content-type': 'text/html' }).end(htmlPage(`page ${path}`));
          if (isOpen) answer();
          else waiting.push(answer);
        },
      ]),
    ),
  });
  return {
    ...site,
    /** Resolves when `count` pages have been requested. */
    arrived: (count: number) =>
      until(
        async () => waiting.length,
        (length) => length >= count,
      ),
    open: () => {
      isOpen = true;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

test('pausing, resuming and cancelling an upload also controls its crawl', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const flow = await startFlow();
  const id = await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  t.is((await flow.control(`/uploads/${id}/pause`)).status, 200);
  site.open();
  const paused = await until(
    () => crawled(flow, id),
    ({ status }) => status === 'paused',
  );
  t.like(paused.crawl, { status: 'paused' });
  t.true(paused.crawl.pages.waiting > 0 && paused.progress.percent < 100);
  // Requests that were running when the crawl was paused complete, and no more are sent.
  const asked = await until(
    async () => ({ count: site.requests.length, at: performance.now() }),
    ({ count, at }) => count === site.requests.length && at > 0,
  );
  t.true(asked.count < 15);
  t.is((await flow.control(`/uploads/${id}/resume`)).status, 200);
  const done = await untilOver(flow, id);
  t.like(done, { status: 'completed', progress: { total: 21, by_status: { ready: 21 } } });
});

test('a cancelled crawl sends no more requests, leaves no unfinished work, and can be repeated', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const flow = await startFlow();
  const id = await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  const { status, body } = await flow.control(`/uploads/${id}/cancel`);
  t.is(status, 200);
  t.like(body, { crawls: [{ status: 'cancelled', status_message: 'Cancelled by a request.' }] });
  site.open();
  const over = await untilOver(flow, id);
  t.is(over.progress.settled, over.progress.total);
  const ended = await until(
    () => crawled(flow, id),
    (now) => now.crawl.pages.waiting === 0,
  );
  t.is(ended.crawl.status, 'cancelled');
  t.true((ended.crawl.reasons['crawl_ended'] ?? 0) > 0);
  t.true(site.requests.length < 10);
  const again = await crawl(flow, `${site.origin}/`);
  t.like(again, { status: 'completed', progress: { total: 21, by_status: { ready: 21 } } });
});

test('waiting for an upload includes its crawl', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a', ['/b']), '/b': htmlPage('b') });
  t.teardown(site.close);
  const flow = await startFlow();
  const body = formFor(flow.collectionId, [['urls', `${site.origin}/`], ['crawl', 'true']]); // prettier-ignore
  const headers = { prefer: 'wait=60' };
  const answer = await flow.api.post('/upload', UploadResponse, { body, headers, status: 202 });
  t.like(answer.uploads, { 0: { status: 'ready' } });
  const done = await crawled(flow, answer.upload_id ?? '');
  t.like(done, { status: 'completed', progress: { by_status: { ready: 3 } } });
});

test('files of an upload are ingested while its crawls run', async (t) => {
  const site = await startSite({
    '/': htmlPage('start', ['/a']),
    '/a': htmlPage('a'),
    '/two': htmlPage('two', ['/a']),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const { upload_id, uploads } = await flow.send(
    ['urls', JSON.stringify([`${site.origin}/`, `${site.origin}/two`, `${site.origin}/`])],
    ['crawl', 'true'],
    ['content', 'A text beside the crawls.'],
  );
  t.is(uploads.length, 4);
  const done = await untilOver(flow, upload_id ?? '');
  t.is(done.crawls.length, 2, 'one crawl per start page');
  t.like(done, { status: 'completed', progress: { total: 4, by_status: { ready: 4 } } });
  t.deepEqual(Object.keys(statusesOf(done, site.origin)).toSorted(), ['/', '/a', '/two', 'text']);
});

test('contents deleted during a crawl do not reappear and leave nothing behind', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const flow = await startFlow();
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const id = await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  const start = await until(
    () => crawled(flow, id),
    ({ contents }) => contents.length > 0,
  );
  const path = `/contents/${start.crawl.content_id}`;
  const { deletion_id } = await flow.api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
  site.open();
  const receipt = await until(
    () => flow.api.get(`/deletions/${deletion_id}`, Deletion),
    ({ status }) => status === 'completed',
  );
  t.is(receipt.removed.contents, 1);
  const done = await untilOver(flow, id);
  t.false('/' in statusesOf(done, site.origin));
  t.is(done.progress.total, 20);
  t.is(done.crawl.reasons['deleted'], 1);
  const [one] = done.contents;
  await flow.delete(one?.content_id ?? '');
  const pages = () => behind.query(`select 1 from crawl_pages where content_id = :id`, { id: one?.content_id ?? '' });
  t.is((await pages()).length, 0);
});

test('deleting a collection ends its running crawl', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const flow = await startFlow();
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  const path = `/collections/${flow.collectionId}`;
  const { deletion_id } = await flow.api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
  site.open();
  await until(
    () => flow.api.get(`/deletions/${deletion_id}`, Deletion),
    ({ status }) => status === 'completed',
  );
  await eventually('nothing is left of the crawl', async () => {
    await behind.makeDue(flow.workspaceId);
    const [rows] = await behind.query<{ count: number }>(
      `select (select count(*) from crawls where workspace_id = :id) + (select count(*) from crawl_pages where workspace_id = :id) as count`,
      { id: flow.workspaceId },
    );
    return rows?.count === 0 && isSound(await takeCensus(behind, flow.workspaceId));
  });
  t.deepEqual(problemsOf(await takeCensus(behind, flow.workspaceId)), []);
});

test('deleting a workspace ends its running crawl', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const flow = await startFlow();
  const id = await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  const { crawl: running } = await crawled(flow, id);
  const headers = { Authorization: `Bearer ${testStack().adminToken}` };
  const operator = apiClient(null);
  const remove = { method: 'DELETE', headers, status: 202 };
  const { deletion_id } = await operator.get(`/workspaces/${flow.workspaceId}`, DeletionAccepted, remove);
  site.open();
  await until(
    () => operator.get(`/deletions/${deletion_id}`, Deletion, { headers }),
    ({ status }) => status === 'completed',
  );
  t.is(running.status, 'running');
  const rows = await until(
    () => countWorkspaceRows(behind, flow.workspaceId),
    (left) => left['outbox'] === undefined,
  );
  // A download that was running may have stored a file, whose bytes are then deleted once more later.
  t.deepEqual(
    Object.keys(rows).filter((table) => table !== 'blob_removals'),
    ['deletions', 'dropped_tenants'],
  );
});

test('a collection archived during a crawl receives no more pages', async (t) => {
  const site = await startGate();
  t.teardown(site.close);
  const flow = await startFlow();
  const id = await startCrawl(flow, `${site.origin}/`);
  await site.arrived(1);
  await flow.api.post(`/collections/${flow.collectionId}/archive`, Collection, { status: 200 });
  site.open();
  const over = await untilOver(flow, id);
  t.like(over.crawl, { status: 'cancelled', status_message: 'The collection is archived.' });
});

test('the start page of a crawl that ended because its collection was archived says what to do', async (t) => {
  const [asked, archived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const site = await startSite({
    '/': (response) => {
      asked.resolve();
      void archived.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(htmlPage('start')));
    },
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const id = await startCrawl(flow, `${site.origin}/`);
  await asked.promise;
  await flow.api.post(`/collections/${flow.collectionId}/archive`, Collection, { status: 200 });
  archived.resolve();
  const { crawl: over } = await untilOver(flow, id);
  t.is(over.status, 'cancelled');
  t.like(await flow.content(over.content_id), {
    status: 'cancelled',
    status_message: 'The collection was archived during the crawl. Unarchive it, then upload the URL again.',
  });
});
