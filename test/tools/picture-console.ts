/**
 * `npm run picture:console`: fills a temporary product with a few documents and takes the screenshots of the web
 * console that the README shows.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { UploadResponse } from '#domain/records/upload.ts';
import { buildConsole } from '#stack/console/build-console.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { PICTURE_DOCUMENTS } from './picture-documents.ts';
import { troublesomeFiles } from './troublesome-files.ts';
import { withPictureStack } from './with-picture-stack.ts';

const IMAGES_DIR = join(PROJECT_DIR, 'docs', 'images');
const VIEW = { width: 1280, height: 860 };
const MEMORIES = [
  'Prefers answers in French, with the sources at the end.',
  'Commutes on the first ferry from Monday to Thursday, with a bicycle.',
  'Has a season ticket until the end of March.',
];

await withPictureStack(async (stack, first) => {
  const url = `http://127.0.0.1:${stack.ports.api}`;
  const collectionId = await fill(`${url}/api/v1`, first.api_key);
  await buildConsole({ checksTypes: false });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: VIEW, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.addInitScript((key) => sessionStorage.setItem('loci.api-key', key), first.api_key);
    mkdirSync(IMAGES_DIR, { recursive: true });
    await takePictures(page, `${url}/console`, collectionId);
  } finally {
    await browser.close();
  }
});

/** Returns the id of the collection that has the documents. */
async function fill(baseUrl: string, apiKey: string): Promise<string> {
  const send = async (path: string, body: object) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, Prefer: 'wait=60', ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
  await send('/collections', { name: 'Contracts', description: 'Signed agreements with suppliers' });
  const description = 'What passengers and crew ask about';
  const made = (await send('/collections', { name: 'Handbook', description })) as { id: string }; // see openapi.json
  const form = new FormData();
  form.append('collection_id', made.id);
  const documents = PICTURE_DOCUMENTS.map(([name, text]) => new File([text], name));
  for (const file of [...documents, ...troublesomeFiles()]) form.append('files', file);
  UploadResponse.parse(await send('/upload', form));
  for (const memory of MEMORIES) await send('/memories', { user_id: 'ada', memory });
  return made.id;
}

async function takePictures(page: Page, console: string, collectionId: string): Promise<void> {
  const take = async (name: string) => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(IMAGES_DIR, name) });
    globalThis.console.log(`Took docs/images/${name}`);
  };
  await page.goto(`${console}/collections`);
  await page.getByRole('row', { name: /Handbook.* 8 / }).waitFor();
  await take('console-collections.png');

  await page.goto(`${console}/collections/${collectionId}`);
  await page.getByRole('link', { name: 'Refunds.md' }).waitFor();
  await take('console-contents.png');
  await page.getByRole('link', { name: 'Boarding.md' }).click();
  await page.getByRole('region', { name: 'Chunk 1' }).waitFor();
  await take('console-text.png');

  await page.goto(`${console}/search`);
  await page.getByText('Side by side', { exact: true }).click();
  await page.getByRole('searchbox', { name: 'Search for' }).fill('refund after bad weather');
  await page.keyboard.press('Enter');
  for (const kind of ['Hybrid', 'Keyword', 'Vector']) {
    const results = page.getByRole('region', { name: kind });
    await results
      .getByRole('button', { name: /^Open the passage/ })
      .first()
      .waitFor();
  }
  await take('console-search.png');

  await page.goto(`${console}/ask`);
  await page.getByRole('textbox', { name: 'Question' }).fill('When do I get my money back if a crossing is cancelled?');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sources' }).waitFor();
  await take('console-ask.png');

  await page.goto(`${console}/memories`);
  await page.getByText(MEMORIES[0] ?? '').waitFor();
  await take('console-memories.png');
}
