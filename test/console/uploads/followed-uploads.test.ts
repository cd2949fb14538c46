import test from 'ava';
import { UploadProgress, type UploadResponse } from '#domain/records/upload.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS, testStack } from '#test/support/harness/stack.ts';
import { startLimitingProxy } from '#test/support/servers/limiting-proxy.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';
import { chooseFiles, fileNames } from './choose-files.ts';
import { openConsole } from '../open-console.ts';

const { apiKey, baseUrl } = testStack();
/** One file fits into a request, and two do not. */
const [FILE_BYTES, MAX_BYTES] = [900, 1_500];
const UPLOADS = 45;
const MAX_DETAILS = 20;

test('a service that answers slowly how far an upload is, is asked once at a time', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: slow');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  const released = Promise.withResolvers<void>();
  let [asked, settled] = [0, 0];
  await page.route('**/api/v1/uploads/*', async (route) => {
    asked += 1;
    await released.promise;
    await route.continue();
    settled += 1;
  });
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([{ name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('slow') }]);
  await eventually('it is asked', async () => asked > 0);
  await page.waitForTimeout(5_000);
  t.deepEqual([asked, settled], [1, 0]);
  released.resolve();
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();
  t.deepEqual(problems, []);
});

test('of many uploads, one that cannot be read holds up no other, and each round has few requests', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: many uploads');
  const proxy = await startLimitingProxy(t, { target: baseUrl, maxBytes: MAX_BYTES });
  await using console = await openConsole({ apiKey, baseUrl: proxy.baseUrl, path: `/collections/${id}` });
  const { page } = console;
  let accepted = 0;
  page.on('response', (answer) => (accepted += answer.url().endsWith('/upload') && answer.status() === 202 ? 1 : 0));
  const rounds: number[] = [];
  await page.route('**/api/v1/uploads?*', async (route) => {
    await eventually('everything is sent', async () => accepted === UPLOADS);
    rounds.push(0);
    await route.continue();
  });
  let broken: string | null = null;
  await page.route('**/api/v1/uploads/*', async (route) => {
    rounds.push((rounds.pop() ?? 0) + 1);
    const url = route.request().url();
    broken ??= url;
    if (url !== broken) return route.continue();
    return route.fulfill({ status: 500, json: { detail: 'It cannot be read.', code: 'internal' } });
  });
  await chooseFiles(page, fileNames('file', UPLOADS), FILE_BYTES);
  await page.getByRole('region', { name: `Uploads: ${UPLOADS - 1} of ${UPLOADS} done` }).waitFor();
  t.true(rounds.length > 2);
  t.true(Math.max(...rounds) <= MAX_DETAILS, `details in each round: ${rounds.join(', ')}`);
  broken = '';
  await page.getByRole('region', { name: `Uploads: ${UPLOADS} of ${UPLOADS} done` }).waitFor();
});

test('what is deleted leaves the list of uploads, and what is paused can be dismissed', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: unsettled');
  // It answers with the first bytes, and never with the last ones.
  const begin = { 'Content-Length': '99' };
  const slow = await startTrapServer(
    t,
    { '/slow.txt': (response) => void response.writeHead(200, begin).write('slow') },
    { address: DOWNLOAD_ADDRESS },
  );
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const add = async () => {
    const sent = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/upload'));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Web addresses …' }).click();
    await page.getByRole('dialog').getByLabel('Addresses').fill(`${slow.origin}/slow.txt`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    const { upload_id: uploadId, uploads } = (await (await sent).json()) as UploadResponse; // see openapi.json
    return { uploadId: uploadId ?? '', contentId: uploads[0]?.content_id ?? '' };
  };
  await chooseFiles(page, ['kept.txt']);
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();
  // Nothing is known of it until it is gone.
  await page.route('**/api/v1/uploads?*', (route) => route.abort());
  const { uploadId, contentId } = await add();
  await page.getByRole('region', { name: 'Uploads: 1 of 2 done' }).waitFor();
  t.is((await api.send(`/contents/${contentId}`, { method: 'DELETE' })).status, 202);
  await until(
    () => api.get(`/uploads/${uploadId}`, UploadProgress),
    ({ contents }) => contents.length === 0,
  );
  await page.unroute('**/api/v1/uploads?*');
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();

  const paused = await add();
  const uploads = page.getByRole('region', { name: 'Uploads: 1 of 2 done' });
  await uploads.waitFor();
  t.is((await api.send(`/uploads/${paused.uploadId}/pause`, { method: 'POST' })).status, 200);
  await uploads.getByText('Paused', { exact: true }).waitFor();
  await uploads.getByRole('button', { name: /^Clear this list/ }).click();
  await uploads.waitFor({ state: 'detached' });
  t.is(await page.getByRole('region', { name: /^Uploads/ }).count(), 0);
});
