import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Page } from 'playwright-core';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const { apiKey, workspaceId } = testStack();
const NARROW = { viewport: { width: 390, height: 844 } };

test('files and folders are dropped, read, looked at and deleted with a receipt; a refused one says why', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: contents');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  await page.getByText('There is nothing in this collection yet').waitFor();
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([
      file('otters.md', '# Otters\n\nOtters sleep holding hands.\n\n## Food\n\nThey eat urchins.'),
      file('empty.txt', ''),
    ]);
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await uploads.getByText('Ready').waitFor();
  t.regex(await uploads.innerText(), /2 of 2 done[\s\S]*empty\.txt[\s\S]*Not accepted[\s\S]*The file is empty/);
  await page
    .getByRole('row', { name: /otters\.md/ })
    .getByText('Ready')
    .last()
    .waitFor();
  t.deepEqual(await axeViolations(page), []);

  await page.getByRole('table').getByRole('link', { name: 'otters.md' }).click();
  const chunk = page.getByRole('region', { name: 'Chunk 1' });
  await chunk.getByText('Otters sleep holding hands.').waitFor();
  await chunk.getByText(/\d+ tokens/).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Facts' }).click();
  await page.getByRole('row', { name: /SHA-256 [0-9a-f]{64}/ }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Versions' }).click();
  await page.getByRole('row', { name: /^Version 1 Present Found since/ }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Actions of otters.md' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download the file' }).click();
  const download = await saved;
  t.is(download.suggestedFilename(), 'otters.md');
  t.regex(await readFile(await download.path(), 'utf8'), /^# Otters/);
  await page.getByRole('link', { name: 'Back to the collection' }).click();

  await page.getByRole('button', { name: 'Actions of otters.md' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('it was verified that nothing is left').waitFor();
  t.regex(await page.getByRole('dialog').innerText(), /Contents\s+1\s+Chunks\s+[1-9][\s\S]*Verified/);
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('There is nothing in this collection yet').waitFor();
  t.deepEqual(problems, []);
});

/** A folder with a file that can be read, and a folder and a file that cannot. */
const DROP_LOCKED = `{
  const failing = (_, reject) => reject(new DOMException('It may not be read.', 'NotReadableError'));
  const readable = (resolve) => resolve(new File(['Board at noon.'], 'boarding.md'));
  const inside = [
    { isDirectory: true, fullPath: '/handbook/locked', createReader: () => ({ readEntries: failing }) },
    { isFile: true, fullPath: '/handbook/gone.md', file: failing },
    { isFile: true, fullPath: '/handbook/boarding.md', file: readable },
  ];
  const readEntries = (resolve) => resolve(inside.splice(0));
  const folder = { isDirectory: true, fullPath: '/handbook', createReader: () => ({ readEntries }) };
  const dataTransfer = { types: ['Files'], items: [{ kind: 'file', webkitGetAsEntry: () => folder }] };
  const event = new Event('drop', { bubbles: true, cancelable: true });
  document.body.dispatchEvent(Object.defineProperty(event, 'dataTransfer', { value: dataTransfer }));
}`;

test('what cannot be read of a dropped folder is named, and the rest is uploaded', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: locked');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  await page.getByText('There is nothing in this collection yet').waitFor();
  await page.evaluate(DROP_LOCKED);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('could not read “handbook/locked”, “handbook/gone.md”').waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).getByText('handbook/boarding.md').waitFor();
  t.deepEqual(problems, []);
});

test('of files with decomposed accents, as macOS names them, those that are refused are shown as refused', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: accents');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const files = { 'U\u0308bersicht.txt': '', 'zebra.txt': 'Zebras at noon.' };
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles(
      Object.entries(files).map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })),
    );
  const uploads = page.getByRole('region', { name: 'Uploads: 2 of 2 done' });
  await uploads.getByRole('button', { name: /bersicht\.txt/ }).waitFor();
  t.is(await uploads.getByRole('button', { name: /zebra\.txt/ }).count(), 0);
});

test('what fails without a dialog is told in one, and closing it leads back to where the focus was', async (t) => {
  const flow = await startFlow();
  const [made] = (await flow.upload(['file', new File(['Soon gone.'], 'gone.txt')])).uploads;
  await using console = await openConsole({ apiKey: flow.key, path: `/collections/${flow.collectionId}` });
  const { page, problems } = console;
  const menu = page.getByRole('button', { name: 'Actions of gone.txt' });
  await menu.waitFor();
  const path = `/contents/${made?.content_id}`;
  t.is((await flow.api.send(path, { method: 'DELETE' })).status, 202);
  await until(
    async () => flow.api.send(path),
    ({ status }) => status === 404,
  );
  for (const time of ['first', 'second']) {
    await menu.click();
    await page.getByRole('menuitem', { name: 'Download the file' }).click();
    const dialog = page.getByRole('dialog');
    t.regex(await dialog.getByRole('alert').innerText(), /not_found[\s\S]*Request/, `${time} time`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[aria-label="Actions of gone.txt"]:focus').waitFor();
  }
  t.deepEqual(problems, []);
});

test('hostile names and texts are shown as text at 390 px, and a key that only reads is offered nothing else', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: hostile');
  const form = new FormData();
  form.append('collection_id', id);
  for (const text of HOSTILE_TEXTS) form.append('files', new File([`${text}\n`], 'file.txt'));
  form.append(
    'items',
    JSON.stringify(HOSTILE_TEXTS.map((text) => ({ name: `${text}.txt`.replaceAll(/[\u202A-\u202E]/g, '') }))),
  );
  form.append('on_duplicate', 'keep');
  const sent = await api.send('/upload', { method: 'POST', body: form, headers: { Prefer: 'wait=30' } });
  t.is(sent.status, 202, await sent.text());
  const reader = await createKey({ workspaceId, permissions: ['collections:read', 'contents:read', 'chunks:read'] });
  await using console = await openConsole({ apiKey: reader.key, path: `/collections/${id}`, browser: NARROW });
  const { page, problems } = console;
  await page.getByRole('link', { name: `${HOSTILE_TEXTS[0]}.txt` }).waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 1);
  t.is(await page.getByRole('button', { name: 'Add' }).count(), 0);
  await page
    .getByRole('button', { name: /^Actions of/ })
    .first()
    .click();
  t.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Download the file']);
  await page.keyboard.press('Escape');
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('link', { name: `${HOSTILE_TEXTS[0]}.txt` }).click();
  await page.getByRole('heading', { name: `${HOSTILE_TEXTS[0]}.txt` }).waitFor();
  await shows(page, HOSTILE_TEXTS[0] ?? '');
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(problems, []);
});

test('a long text is loaded in parts, and a passage that was found is shown in its place', async (t) => {
  const flow = await startFlow();
  const paragraph = (number: number) => `Herring number ${number} swims past the pier, and nobody counts the next one.`;
  const herrings = Array.from({ length: 9_000 }, (_, number) => paragraph(number)).join('\n\n');
  const [{ content_id: id } = { content_id: '' }] = (
    await flow.upload(['file', new File([`${herrings}\n\nThe keeper whistles.\n`], 'herrings.txt')])
  ).uploads;
  const { key, collectionId } = flow;
  await using console = await openConsole({ apiKey: key, path: `/collections/${collectionId}/contents/${id}` });
  const { page, problems } = console;
  const asked: URL[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url())));
  await page.reload();
  await page.getByRole('region', { name: 'Chunk 100' }).waitFor();
  const chunks = page.getByRole('region', { name: /^Chunk / });
  t.is(await chunks.count(), 100);
  await page.getByRole('button', { name: 'Show more of the text' }).click();
  await page.getByRole('region', { name: 'Chunk 200' }).waitFor();
  t.is(await chunks.count(), 200);
  t.true(
    ((await chunks.nth(99).textContent()) ?? '').length > 1_000 &&
      ((await chunks.nth(100).textContent()) ?? '').length > 1_000,
  );

  await page.goto(`${new URL(page.url()).origin}/console/search?query=the%20keeper%20whistles`);
  await page
    .getByRole('button', { name: /^Open the passage/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Open the document' }).click();
  const chosen = page.locator('.chunk:focus');
  await chosen.getByText('The keeper whistles.').waitFor();
  const place = (await chosen.boundingBox()) ?? t.fail();
  const { height } = page.viewportSize() ?? t.fail();
  t.true(place.y < height && place.y + place.height > 0, 'it is in sight');
  const parts = asked.filter(({ pathname }) => pathname.endsWith('/text'));
  t.true(parts.length > 2 && parts.every(({ searchParams }) => Number(searchParams.get('limit')) < 800_000));
  t.deepEqual(problems, []);
});

async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('region', { name: 'Chunk 1' }).getByText(text).waitFor();
}

function file(name: string, text: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
}
