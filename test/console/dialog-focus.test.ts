import test from 'ava';
import { Compression } from '#domain/records/compression.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { openConsole } from './open-console.ts';

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
