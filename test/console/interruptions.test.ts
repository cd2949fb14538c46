import { join } from 'node:path';
import test from 'ava';
import { fillCollections } from '#bench/fill-lists.ts';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
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
