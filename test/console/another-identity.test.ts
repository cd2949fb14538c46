import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openConsole } from './open-console.ts';

const { apiKey, workspaceId, databaseUrl } = testStack();

/** Opens a sign-in link of the stack's key in the tab, at the page that it shows, and waits until the service knows who that is. */
async function openLink(t: ExecutionContext, page: Page): Promise<void> {
  const database = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const code = await createSignInCode(createStores(database), apiKey.split('_')[1] ?? '');
  const known = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/me'));
  await page.goto(`${page.url()}#code=${code}`);
  await known;
}

test('a sign-in link in a tab that somebody else has signed in to shows nothing that they had loaded', async (t) => {
  const other = await freshClient();
  await other.createCollection('of somebody else');
  await using console = await openConsole({ apiKey: other.key, path: '/collections' });
  const { page, problems } = console;
  await page.getByRole('row', { name: 'of somebody else' }).waitFor();
  const released = Promise.withResolvers<void>();
  await page.route('**/api/v1/collections?*', async (route) => {
    await released.promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.url().includes('/api/v1/collections?'));
  await openLink(t, page);
  await asked;
  await page.getByRole('heading', { name: 'Collections' }).waitFor();
  t.is(await page.getByRole('row', { name: 'of somebody else' }).count(), 0);
  released.resolve();
  await page.getByRole('row').nth(1).waitFor();
  t.is(await page.getByRole('row', { name: 'of somebody else' }).count(), 0);
  t.deepEqual(problems, []);
});

test('a sign-in link in a tab that somebody else has signed in to forgets what they were uploading', async (t) => {
  const { key } = await createKey({ workspaceId });
  const { id } = await apiClient(apiKey).createCollection('console: whose uploads');
  await using console = await openConsole({ apiKey: key, path: `/collections/${id}` });
  const { page, problems } = console;
  const panel = page.getByRole('region', { name: /^Uploads/ });
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.from('') }]);
  await panel.getByText('Not accepted').waitFor();
  await openLink(t, page);
  await page.getByRole('heading', { name: 'console: whose uploads' }).waitFor();
  t.is(await panel.count(), 0);
  t.deepEqual(problems, []);
});
