import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { fillCollections } from '#bench/fill-lists.ts';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { insertOwnKey, openOwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openConsole } from './open-console.ts';

const { apiKey, workspaceId } = testStack();

test('a key that is revoked in the middle of a session ends it, and the page says why', async (t) => {
  const { key } = await createKey({ workspaceId, permissions: ['collections:read', 'memories:read'] });
  await using console = await openConsole({ apiKey: key, path: '/collections' });
  const { page, problems } = console;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  const { api_key: own } = await apiClient(key).get('/me', CurrentCaller);
  t.is((await apiClient(apiKey).send(`/api-keys/${own?.id}`, { method: 'DELETE' })).status, 204);
  await page.getByRole('link', { name: 'Memories' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('The API key is missing, unknown, revoked or expired.').waitFor();
  t.is(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  t.notRegex(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage])), /loci_/);
  t.deepEqual(problems, []);
});

test('what a key may no longer do is not offered any more, once the service has refused it or the tab is looked at again', async (t) => {
  const may = (permissions: string[]) => ({ method: 'PATCH', json: { permissions } });
  const { key } = await createKey({ workspaceId, permissions: ['collections:read', 'collections:write'] });
  const { api_key: own } = await apiClient(key).get('/me', CurrentCaller);
  await using console = await openConsole({ apiKey: key, path: '/collections' });
  const { page, problems } = console;
  const create = page.getByRole('button', { name: 'New collection' });
  await create.first().click();
  t.is((await apiClient(apiKey).send(`/api-keys/${own?.id}`, may(['collections:read']))).status, 200);
  await page.getByRole('dialog').getByLabel('Name').fill('refused');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await create.first().waitFor({ state: 'detached' });
  t.is(
    (await apiClient(apiKey).send(`/api-keys/${own?.id}`, may(['collections:read', 'collections:write']))).status,
    200,
  );
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await create.first().waitFor();
  t.deepEqual(problems, []);
});

test('pointing at a link loads nothing anew after an update of the console; opening the page does', async (t) => {
  await using console = await openConsole({ apiKey, path: '/collections' });
  const { page } = console;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  // What the service answers a page from before the console was built anew, until it is loaded again.
  let isOld = true;
  page.on('request', (request) => (isOld &&= !request.isNavigationRequest()));
  const answerOld = (url: string, response: { status?: number; body?: string }) =>
    page.route(url, (route) => (isOld ? route.fulfill(response) : route.fallback()));
  await answerOld('**/console/assets/memories-page*', { status: 404 });
  await answerOld('**/console/', { body: 'a newer console' });
  const gone = page.waitForResponse((response) => response.status() === 404);
  await page.getByRole('link', { name: 'Memories' }).hover();
  await gone;
  await page.getByRole('button', { name: 'New collection' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('a draft');
  t.is(await page.getByRole('dialog').getByLabel('Name').inputValue(), 'a draft');
  await page.keyboard.press('Escape');
  const loaded = page.waitForEvent('load');
  await page.getByRole('link', { name: 'Memories' }).click();
  await loaded;
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
});

test('while the connection is away, pages say so, and go on when it is back', async (t) => {
  await using console = await openConsole({ apiKey, path: '/collections' });
  const { page } = console;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Memories' }).click();
  await page.getByText('the service cannot be reached').waitFor();
  // The attempt has to end before the connection is back: it would load the tab anew.
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/console/'));
  await page.getByRole('button', { name: 'Try again' }).click();
  await failed;
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();

  await page.context().setOffline(true);
  await page.getByLabel('User').fill('ada');
  await page.getByRole('alert').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  t.is(new URL(page.url()).searchParams.get('user'), 'ada', 'what was chosen is still chosen');
});

test('what is uploaded after somebody else has signed in is sent in their name, also while earlier requests go on', async (t) => {
  const { key } = await createKey({ workspaceId, permissions: ['collections:read', 'contents:read', 'uploads:write'] });
  const { id } = await apiClient(apiKey).createCollection('console: two people');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  const senders: string[] = [];
  const released = Promise.withResolvers<void>();
  await page.route('**/api/v1/upload', async (route) => {
    senders.push((await route.request().headerValue('X-API-Key')) === key ? 'second' : 'first');
    if (senders.length <= 2) await released.promise;
    await route.continue();
  });
  const choose = async (names: string[]) =>
    page
      .getByLabel('Files …', { exact: true })
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
  await choose(Array.from({ length: 40 }, (_, index) => `first-${index}.txt`));
  await eventually('two requests are on their way', async () => senders.length === 2);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'console: two people' }).waitFor();
  await choose(['second.txt']);
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await uploads.getByText('Waiting to be sent').waitFor();
  released.resolve();
  await eventually('the file of the second is sent', async () => senders.length === 3);
  t.deepEqual(senders, ['first', 'first', 'second']);
  t.deepEqual(problems, []);
});

test('a file that is gone when its turn comes says so, and what was to be sent with it is sent without it', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: gone');
  const folder = await mkdtemp(join(tmpdir(), 'loci-gone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const paths = ['gone.txt', 'kept.txt'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, `the text of ${path}`);
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const input = page.getByLabel('Files …', { exact: true });
  const released = Promise.withResolvers<void>();
  let requests = 0;
  await page.route('**/api/v1/upload', async (route) => {
    requests += 1;
    if (requests <= 2) await released.promise;
    await route.continue();
  });
  const before = Array.from({ length: 40 }, (_, index) => `before-${index}.txt`);
  await input.setInputFiles(before.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
  await eventually('two requests are on their way', async () => requests === 2);
  await input.setInputFiles(paths);
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await uploads.getByText('kept.txt').waitFor();
  await rm(paths[0] ?? '');
  released.resolve();
  await uploads.getByText('It was moved, deleted or changed').waitFor();
  t.is(await uploads.getByText('Not accepted').count(), 1);
  await page.getByRole('row', { name: /kept\.txt/ }).waitFor();
});

test('what is uploaded while the service restarts is sent again, and accepted once', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: restarts');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const keys: (string | null)[] = [];
  await page.route('**/api/v1/upload', async (route) => {
    keys.push(await route.request().headerValue('Idempotency-Key'));
    if (keys.length === 1) return route.abort('connectionreset');
    return keys.length === 2 ? route.fulfill({ status: 503, body: 'restarting' }) : route.continue();
  });
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([{ name: 'patient.txt', mimeType: 'text/plain', buffer: Buffer.from('patient') }]);
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();
  await page.getByRole('row', { name: /patient\.txt/ }).waitFor();
  t.deepEqual(keys, [keys[0], keys[0], keys[0]]);
});

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

test('a collection of 100,000 contents is shown page by page, and one of them is found by its name', async (t) => {
  const api = await openOwnApi(t, { consoleFolder: join(PROJECT_DIR, 'console') });
  const { stores } = api.services;
  const own = await stores.system.insertWorkspace('large');
  const { secret } = await insertOwnKey(api, own);
  const headers = { 'X-API-Key': secret };
  const json = { name: 'large', embedding: { provider: 'lexical' } };
  const made = await api.send('/collections', { method: 'POST', headers, json });
  const collectionId = (made.body as { id: string }).id; // see openapi.json
  await fillCollections(api.database, { workspaceId: own, collectionIds: [collectionId], rows: 100_000 });
  await stores.system.foldCounts();
  await using console = await openConsole({ apiKey: secret, baseUrl: api.baseUrl, path: '/collections' });
  const { page, problems } = console;
  await page.getByRole('row', { name: /large.*100,000/ }).waitFor();
  await page.getByRole('link', { name: 'large' }).click();
  await page.getByRole('row').nth(100).waitFor();
  t.is(await page.getByRole('row').count(), 101);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('row').nth(200).waitFor();
  await page.getByPlaceholder('Filter by name').fill('77777.txt');
  await page.getByRole('link', { name: '77777.txt' }).waitFor();
  t.is(await page.getByRole('row').count(), 2);
  t.deepEqual(problems, []);
});
