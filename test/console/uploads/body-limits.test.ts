import test from 'ava';
import { apiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startLimitingProxy } from '#test/support/servers/limiting-proxy.ts';
import { openConsole } from '../open-console.ts';

const { apiKey, baseUrl } = testStack();
const MAX_BYTES = 100_000;

test('behind a proxy that limits bodies, files are sent in smaller requests, and one that is too large says so', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: body limits');
  const proxy = await startLimitingProxy(t, { target: baseUrl, maxBytes: MAX_BYTES });
  await using console = await openConsole({ apiKey, baseUrl: proxy.baseUrl, path: `/collections/${id}` });
  const { page, problems } = console;
  const sizes = [30_000, 40_000, MAX_BYTES + 1, 50_000, 60_000, 70_000];
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles(sizes.map((size, at) => ({ name: `part-${at}.txt`, mimeType: 'text/plain', buffer: text(size) })));
  const uploads = page.getByRole('region', { name: `Uploads: ${sizes.length} of ${sizes.length} done` });
  await uploads.waitFor();
  t.is(await uploads.getByText('Not accepted').count(), 1);
  await uploads.getByRole('button', { name: 'Send part-2.txt again' }).waitFor();
  await uploads.getByText('more than the service, or a proxy in front of it, accepts in one request').waitFor();
  for (const at of [0, 1, 3, 4, 5]) await page.getByRole('row', { name: `part-${at}.txt` }).waitFor();
  t.true(proxy.refused.length > 1, 'the first request was too large, too');
  t.deepEqual(problems, []);
});

/** Bytes that differ from those of other sizes. */
function text(sizeBytes: number): Buffer {
  return Buffer.alloc(sizeBytes, `A text of ${sizeBytes} bytes. `);
}
