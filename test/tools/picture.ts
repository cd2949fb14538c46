/**
 * `npm run picture [-- FOLDER]`: ingests a folder of documents on a temporary stack and takes the screenshots of the Temporal UI
 * that the documentation shows. Without a folder it ingests the documents in `node_modules`.
 */
import { globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { UploadProgress, UploadResponse } from '#domain/records/upload.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { takeCliPicture } from './picture-cli.ts';
import { troublesomeFiles } from './troublesome-files.ts';
import { withPictureStack } from './with-picture-stack.ts';

const IMAGES_DIR = join(PROJECT_DIR, 'docs', 'images');
const DOCUMENTS = '**/*.{md,markdown,txt,html,pdf,docx,csv,json}';
/** With the three that fail: the upload of 135 mixed documents that the runbook describes. */
const MAX_DOCUMENTS = 132;
const MAX_DOCUMENT_BYTES = 12 * 1024;
/** The screenshots are taken when the percentage of finished contents is in this range. */
const SHARE_DONE = { from: 20, to: 90 };
const VIEW = { width: 1440, height: 1010 };
const SETTLING_MS = 1_500;

const log = (line: string) => console.log(line);

await withPictureStack(async (stack, first) => {
  const api = apiOf(`http://127.0.0.1:${stack.ports.api}/api/v1`, first.api_key);
  const folder = process.argv[2] ?? join(PROJECT_DIR, 'node_modules');
  const files = [...troublesomeFiles(), ...filesOf(folder)];
  const upload = await api.upload(first.collection_id, files);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: VIEW, colorScheme: 'light' });
    await api.untilShareDone(upload);
    await takePictures(page, `${stack.temporalUi}/namespaces/default/workflows`, upload);
  } finally {
    await browser.close();
  }
  await api.untilEnded(upload);
  await pictureUploadCommand(files, {
    url: `http://127.0.0.1:${stack.ports.api}`,
    apiKey: first.api_key,
    collectionId: first.collection_id,
  });
});

/** Takes two screenshots of the running ingestion: the progress with failures, then the timeline. */
async function takePictures(page: Page, workflows: string, uploadId: string): Promise<void> {
  mkdirSync(IMAGES_DIR, { recursive: true });
  await page.goto(`${workflows}/${encodeURIComponent(`ingest-upload/${uploadId}`)}`);
  await page.getByRole('tab', { name: 'User Metadata' }).click();
  await page.frameLocator('iframe[src*=done]').getByText('contents done').waitFor();
  await takePicture(page, 'ingestion-progress.png');
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText('Batch 1:').first().waitFor();
  await takePicture(page, 'ingestion.png');
}

async function takePicture(page: Page, name: string): Promise<void> {
  // The bars of the timeline are animated, without an event at the end of the animation.
  await delay(SETTLING_MS);
  await page.screenshot({ path: join(IMAGES_DIR, name) });
  if (!(await page.getByText('Running', { exact: true }).first().isVisible()))
    throw new Error('The ingestion was over before the picture was taken: give a larger folder.');
  log(`Took docs/images/${name}`);
}

/** Uploads the same documents with the command line, under other names. */
async function pictureUploadCommand(
  files: readonly File[],
  service: { url: string; apiKey: string; collectionId: string },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-documents-'));
  try {
    for (const [number, file] of files.entries())
      await writeFile(join(folder, `${String(number).padStart(3, '0')} ${file.name}`), await file.bytes());
    await takeCliPicture({ folder, ...service }, join(IMAGES_DIR, 'ingestion-cli.png'));
    log('Took docs/images/ingestion-cli.png');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Documents of the folder in order of their paths. Their names contain the path, so that they are unique. */
function filesOf(folder: string): File[] {
  const paths = globSync(DOCUMENTS, { cwd: folder })
    .filter((path) => !/(^|\/)package(-lock)?\.json$|tsconfig/.test(path))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= MAX_DOCUMENT_BYTES);
  return paths
    .sort()
    .slice(0, MAX_DOCUMENTS)
    .map((path) => new File([readFileSync(path)], relative(folder, path).replaceAll(/[/\\]/g, ' - ')));
}

function apiOf(baseUrl: string, apiKey: string) {
  const headers = { 'X-API-Key': apiKey };
  const progressOf = async (uploadId: string) => {
    const answer = await fetch(`${baseUrl}/uploads/${uploadId}?limit=1`, { headers });
    return UploadProgress.parse(await answer.json()).progress;
  };
  return {
    async upload(collectionId: string, files: readonly File[]): Promise<string> {
      const form = new FormData();
      form.append('collection_id', collectionId);
      for (const file of files) form.append('files', file);
      const answer = await fetch(`${baseUrl}/upload`, { method: 'POST', headers, body: form });
      const text = await answer.text();
      if (answer.status !== 202) throw new Error(`the upload answered ${answer.status}: ${text}`);
      const { upload_id: id, ...response } = UploadResponse.parse(JSON.parse(text));
      log(`Uploaded ${response.successful_uploads} documents, ${response.failed_uploads} were refused`);
      if (id === null) throw new Error('No document was accepted.');
      return id;
    },
    async untilEnded(uploadId: string): Promise<void> {
      while ((await progressOf(uploadId)).percent < 100) await delay(500);
    },
    async untilShareDone(uploadId: string): Promise<void> {
      for (;;) {
        const progress = await progressOf(uploadId);
        if (progress.percent >= SHARE_DONE.from) {
          log(`${progress.settled} of ${progress.total} contents are done`);
          if (progress.percent > SHARE_DONE.to)
            throw new Error('The ingestion was too fast for a picture: give a larger folder.');
          return;
        }
        await delay(200);
      }
    },
  };
}
