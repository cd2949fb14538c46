import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { Page } from 'playwright-core';
import { Compression } from '#domain/records/compression.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { baseUrl, apiKey, workspaceId } = testStack();
const MAX_FIRST_PAGE_BYTES = 300_000;
const NARROW = { viewport: { width: 390, height: 844 } };

/** Signs out, and returns what the service answers to that. */
async function signOut(page: Page): Promise<unknown> {
  const answer = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  return (await answer).json();
}

test('a browser is led from / to the console, signs in and out there, and is told why a key is refused', async (t) => {
  await using console = await openConsole({});
  const { page, problems } = console;
  await page.goto(`${baseUrl}/`);
  t.is(new URL(page.url()).pathname, '/console/');
  const signIn = async (key: string) => {
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const expired = await createKey({ workspaceId, isExpired: true });
  for (const wrong of ['nonsense', expired.key]) {
    await signIn(wrong);
    const refusal = page.getByRole('alert');
    await refusal.getByText('The API key is missing, unknown, revoked or expired.').waitFor();
    t.regex(await refusal.innerText(), /unauthorized[\s\S]*Request/);
  }
  t.deepEqual(await axeViolations(page), []);
  await signIn(apiKey);
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  t.deepEqual(await signOut(page), { revoked: false });
  t.notRegex(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage])), /loci_/);
  t.is((await apiClient(apiKey).send('/me')).status, 200, 'signing out does not revoke a key that was pasted');
  t.deepEqual(problems, []);
});

test('a sign-in link signs in once, leaves no code in the address, and its key ends with signing out', async (t) => {
  const { databaseUrl } = testStack();
  const database = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const newCode = () => createSignInCode(createStores(database), apiKey.split('_')[1] ?? '');
  const code = await newCode();
  await using console = await openConsole({ path: `/#code=${code}` });
  const { page, problems } = console;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  t.is(new URL(page.url()).hash, '');
  await using again = await openConsole({ path: `/#code=${code}` });
  await again.page.getByText('This sign-in link is unknown, was used before').waitFor();
  t.is(await again.page.getByRole('button', { name: 'Try again' }).count(), 0, 'nothing can be tried again');
  const another = await newCode();
  await again.page.goto(`${baseUrl}/console/#code=${another}`);
  await again.page.getByRole('heading', { name: 'Collections' }).waitFor();
  t.is(new URL(again.page.url()).hash, '');

  const ownKey = await page.evaluate(() => sessionStorage.getItem('loci.api-key') ?? '');
  t.is((await apiClient(ownKey).send('/me')).status, 200);
  t.deepEqual(await signOut(page), { revoked: true });
  t.is((await apiClient(ownKey).send('/me')).status, 401);
  t.deepEqual([...problems, ...again.problems], []);
});

test('what a key does not permit is not offered, and its address says what is missing', async (t) => {
  const { key } = await createKey({ workspaceId, permissions: ['memories:read'] });
  await using console = await openConsole({ apiKey: key, path: '/collections', browser: NARROW });
  const { page, problems } = console;
  await page.getByText('It needs: collections:read.').waitFor();
  const navigation = page.getByRole('navigation');
  t.is(await navigation.count(), 0, 'the keyboard does not reach it while it is closed');
  await page.getByRole('button', { name: 'Open the list of pages' }).click();
  t.is(await navigation.getByRole('link', { name: 'Collections' }).count(), 0);
  await navigation.getByRole('link', { name: 'Memories' }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  await navigation.waitFor({ state: 'detached' });
  t.is(await page.evaluate('document.activeElement?.id'), 'content');
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(problems, []);
});

test('the first page has at most 300 kB of scripts and styles, compressed with gzip', async (t) => {
  await using console = await openConsole({ apiKey });
  const { page } = console;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  const loaded: string[] = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  );
  const assets = loaded.filter((path) => path.startsWith('/console/assets/'));
  t.true(assets.length > 1, 'pages are loaded when they are opened');
  const sizes = await Promise.all(
    assets.map(
      async (path) => gzipSync(await readFile(join(PROJECT_DIR, path.replace('/console/', '/console/dist/')))).length,
    ),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.log(`${total} bytes: ${assets.map((path, at) => `${path} ${sizes[at]}`).join(', ')}`);
  t.true(total <= MAX_FIRST_PAGE_BYTES, `${total} bytes`);
  t.true(globSync('console/dist/assets/*.js.br', { cwd: PROJECT_DIR }).length > 1);
});

test('a dialog that is closed leads back to what opened it or, when that is deleted, to the heading of the page', async (t) => {
  const api = await freshClient();
  await api.createCollection('Tides');
  const json = { content: 'Ebb at noon.', strategy: 'dedupe', webhook_url: 'http://127.0.0.1:9/nobody' };
  await api.post('/compress', Compression, { json, status: 202 });
  await using console = await openConsole({ apiKey: api.key, path: '/collections' });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  const menuOf = (label: string) => ({
    choose: async (item: string) => {
      await page.getByRole('button', { name: label }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await dialog.waitFor();
    },
    hasFocus: async () => page.locator(`[aria-label="${label}"]:focus`).waitFor(),
  });
  const tides = menuOf('Actions of Tides');
  for (const item of ['Edit', 'Archive', 'Delete']) {
    await tides.choose(item);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tides.hasFocus();
    await tides.choose(item);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tides.hasFocus();
  }
  await tides.choose('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('it was verified that nothing is left').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('h1:focus').getByText('Collections').waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  const key = menuOf('Actions of a test');
  await key.choose('Change');
  await page.keyboard.press('Escape');
  await key.hasFocus();

  await page.getByRole('link', { name: 'Uploads and jobs' }).click();
  for (const [tab, name] of [
    ['Compressions', 'Repetitions folded'],
    ['Deletions', 'Collection'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    const row = page.getByRole('table').getByRole('link', { name });
    await row.click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('table a:focus').getByText(name).waitFor();
  }
  t.deepEqual(problems, []);
});
