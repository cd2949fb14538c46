import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import type { Page } from 'playwright-core';
import { docx, docxParagraph } from '#test/support/fixtures/documents.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole } from './open-console.ts';

const letter = docx(docxParagraph('A letter.'));
const FILES: Record<string, string | Buffer> = {
  'boarding.md': '# Boarding\n\nBicycles travel free and are pushed aboard\nafter the cars.',
  'weather/cancelled.md': '# Weather\n\nCrossings are cancelled from wind force nine.',
  'weather/old/letter.docx': letter.subarray(0, letter.length - 100),
};

test('somebody new drops a folder, sees why a file failed, finds a sentence, sees why another is not found, and takes back a key', async (t) => {
  const { key } = await createKey();
  const folder = await writeFolder('handbook', FILES);
  t.teardown(() => rm(dirname(folder), { recursive: true, force: true }));
  await using console = await openConsole({});
  const { page, problems } = console;
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('There are no collections yet').waitFor();
  await page.getByRole('button', { name: 'New collection' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Handbook');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Handbook' }).click();
  await page.getByText('There is nothing in this collection yet').waitFor();

  await dropOn(page, folder);
  const uploads = page.getByRole('region', { name: /^Uploads: 3 of 3 done/ });
  await uploads.waitFor();
  const rows = page.getByRole('table').getByRole('row');
  await rows.filter({ hasText: 'handbook/boarding.md' }).getByText('Ready').last().waitFor();
  await rows.filter({ hasText: 'handbook/weather/cancelled.md' }).getByText('Ready').last().waitFor();
  const failed = rows.filter({ hasText: 'handbook/weather/old/letter.docx' });
  await failed.getByText('Failed').last().waitFor();
  t.regex(await failed.innerText(), /damaged|incomplete|truncated/i, 'it says why, and what to do');
  t.deepEqual(await axeViolations(page), []);

  const navigation = page.getByRole('navigation');
  await navigation.getByRole('link', { name: 'Search' }).click();
  await page.getByRole('searchbox', { name: 'Search for' }).fill('may I take my bicycle');
  await page.keyboard.press('Enter');
  const found = page.getByRole('main').getByText('Bicycles travel free').first();
  await found.waitFor();
  t.regex(await found.innerText(), /aboard after the cars/, 'lines that were wrapped flow again');
  await page.getByRole('button', { name: 'Is something missing?' }).click();
  await page.getByRole('combobox', { name: 'Document' }).fill('letter');
  await page.getByRole('option', { name: 'handbook/weather/old/letter.docx' }).click();
  await page
    .getByRole('status')
    .getByText(/damaged or truncated/)
    .waitFor();
  t.deepEqual(await axeViolations(page), []);

  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await navigation.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New key' }).first().click();
  await dialog.getByLabel('Label').fill('old laptop');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog.getByLabel('API key', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.is((await apiClient(secret).send('/me')).status, 200);
  await page.getByRole('button', { name: 'Actions of old laptop' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.is((await apiClient(secret).send('/me')).status, 401);
  t.deepEqual(problems, []);
});

/** Returns the path of a new folder with these files. */
async function writeFolder(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'loci-dropped-')), name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Drops a file or folder of this machine on the middle of the page, as the system's file manager does. */
async function dropOn(page: Page, path: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await browser.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  }
}
