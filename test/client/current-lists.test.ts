import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { createBrowserClient } from '../../client/src/create-browser-client.ts';
import { createLociClient } from '../../client/src/create-loci-client.ts';
import { listSynced } from '../../client/src/cli/sync-plan.ts';
import { presentContents } from '../../client/src/upload/present-contents.ts';

type Asked = { baseUrl: string; asked: (string | undefined)[] };

/** A server with empty lists, which keeps the `Cache-Control` of each request. */
async function startLists(t: ExecutionContext): Promise<Asked> {
  const asked: Asked['asked'] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['cache-control']);
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({ data: [], total_count: 1, total_is_exact: true, next_cursor: null, has_more: false }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}`, asked };
}

test('an upload that leaves out what is present, and a synchronization, ask for current lists', async (t) => {
  const { baseUrl, asked } = await startLists(t);
  const loci = createLociClient({ baseUrl, apiKey: 'a key' });
  await presentContents(loci.api, { collectionId: 'c' }, null);
  await listSynced(loci, { collectionId: 'c', name: 'docs', signal: AbortSignal.timeout(60_000) });
  t.deepEqual(asked, ['no-cache', 'no-cache', 'no-cache']);
  for await (const content of loci.paginate('/api/v1/contents')) t.fail(content.id);
  t.is(asked.at(-1), undefined);
});

test('a page on which people decide by lists asks for current ones, as the console does', async (t) => {
  const { baseUrl, asked } = await startLists(t);
  for (const isCurrent of [true, false]) {
    const loci = createBrowserClient({ baseUrl, apiKey: 'a key', isCurrent });
    for await (const content of loci.paginate('/api/v1/contents')) t.fail(content.id);
  }
  t.deepEqual(asked, ['no-cache', undefined]);
});
