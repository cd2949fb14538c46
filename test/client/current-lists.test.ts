import { createServer } from 'node:http';
import test from 'ava';
import { createLociClient } from '../../client/src/create-loci-client.ts';
import { listSynced } from '../../client/src/cli/sync-plan.ts';
import { presentContents } from '../../client/src/upload/present-contents.ts';

test('an upload that leaves out what is present, and a synchronization, ask for current lists', async (t) => {
  const asked: (string | undefined)[] = [];
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
  const loci = createLociClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a key' });
  await presentContents(loci.api, { collectionId: 'c' }, null);
  await listSynced(loci, { collectionId: 'c', name: 'docs', signal: AbortSignal.timeout(60_000) });
  t.deepEqual(asked, ['no-cache', 'no-cache', 'no-cache']);
  for await (const content of loci.paginate('/api/v1/contents')) t.fail(content.id);
  t.is(asked.at(-1), undefined);
});
