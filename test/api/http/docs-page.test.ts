import test from 'ava';
import type { Browser, Locator, Page } from 'playwright-core';
import { Content } from '#domain/records/content.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { baseUrl, apiKey } = testStack();
const api = apiClient(apiKey);

test('the docs page renders the operations in a real browser and loads nothing from other origins', async (t) => {
  await using browser = await browserOfDocs();
  const { page, problems } = browser;
  await page.goto(`${baseUrl}/docs`);
  await page.locator('#operations-Collections-searchCollection').waitFor();
  t.true((await page.locator('.opblock').count()) >= 20);
  await page.locator('#operations-Collections-searchCollection .opblock-summary-control').click();
  await page.getByText('how is a rotated token kept').first().waitFor();
  t.deepEqual(problems, []);
});

test('the upload of the docs page sends the chosen files and nothing that Swagger UI made up', async (t) => {
  const collection = await api.createCollection('docs: files');
  await using browser = await browserOfDocs();
  const { page, problems } = browser;
  const operation = await openOperation(page, 'Uploads', 'uploadContent');
  const field = (name: string) => operation.locator(`tr[data-property-name="${name}"]`);
  await field('collection_id').locator('input[type=text]').fill(collection.id);
  await field('content').locator('input[type=text]').fill('');
  await field('file').locator('input[type=file]').setInputFiles(textFile('one.txt', 'The first file.'));
  await field('files').getByRole('button', { name: 'Add' }).click();
  await field('files').locator('input[type=file]').setInputFiles(textFile('two.txt', 'The second file.'));
  const answer = UploadResponse.parse(await execute(page, operation, 202));
  t.deepEqual(answer.uploads.map(({ name, source }) => `${source} ${name}`).sort(), ['file one.txt', 'file two.txt']);
  t.deepEqual(answer.errors, []);
  for (const { content_id } of answer.uploads) {
    const { description, metadata } = await api.get(`/contents/${content_id}`, Content);
    t.deepEqual({ description, metadata }, { description: null, metadata: {} });
  }
  t.deepEqual(problems, []);
});

test('"Try it out" of an upload works with nothing but a collection filled in', async (t) => {
  const collection = await api.createCollection('docs: text');
  await using browser = await browserOfDocs();
  const { page } = browser;
  const operation = await openOperation(page, 'Uploads', 'uploadContent');
  await operation.locator('tr[data-property-name="collection_id"] input[type=text]').fill(collection.id);
  const { uploads, errors } = UploadResponse.parse(await execute(page, operation, 202));
  t.deepEqual(
    uploads.map(({ source }) => source),
    ['text'],
  );
  t.deepEqual(errors, []);
});

/** Chromium with a page that has authorized itself, and everything that went wrong on it. */
async function browserOfDocs(): Promise<AsyncDisposable & { page: Page; problems: string[] }> {
  const browser: Browser = await launchChromium();
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  page.on('pageerror', (error) => void problems.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== baseUrl) problems.push(`requested ${request.url()}`);
  });
  return { page, problems, [Symbol.asyncDispose]: async () => browser.close() };
}

/** Enters the key and opens an operation with its form ready to be sent. */
async function openOperation(page: Page, tag: string, id: string): Promise<Locator> {
  await page.goto(`${baseUrl}/docs`);
  await page.locator('.btn.authorize').first().click();
  const dialog = page.locator('.modal-ux');
  const keyForm = dialog.locator('.auth-container', { hasText: 'X-API-Key' });
  await keyForm.locator('input').fill(apiKey);
  await keyForm.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  const operation = page.locator(`#operations-${tag}-${id}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  return operation;
}

/** Sends the request as it stands. @throws Error when the response has another status */
async function execute(page: Page, operation: Locator, status: number): Promise<unknown> {
  const answered = page.waitForResponse((response) => response.request().method() !== 'OPTIONS');
  await operation.locator('button.execute').click();
  const response = await answered;
  if (response.status() !== status) throw new Error(`${response.url()}: ${response.status()} ${await response.text()}`);
  return response.json();
}

function textFile(name: string, text: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
}
