import { setTimeout as delay } from 'node:timers/promises';
import { sampleText } from '#bench/sample-texts.ts';
import type { ServiceClient, UploadFile } from '#bench/service-client.ts';

const POLL_MS = 100;
const DOCUMENTS = 135;

/** In milliseconds: until the first document was ready, the longest time in which the progress did not move, and all of it. */
export type ProgressTimes = { firstMs: number; longestMs: number; elapsedMs: number };

/** Uploads mixed documents, and measures how their progress moves. */
export async function measureProgress(client: ServiceClient): Promise<ProgressTimes> {
  const { id } = await client.createCollection('mixed documents');
  const { upload_id } = await client.upload(id, mixedDocuments());
  if (upload_id === null) throw new Error('no document was accepted');
  const startedMs = performance.now();
  let movedMs = startedMs;
  let firstMs = 0;
  let longestMs = 0;
  for (let settled = 0, total = 1; settled < total;) {
    const { progress } = await client.progress(upload_id);
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - movedMs);
    if (progress.settled > settled) movedMs = nowMs;
    if (settled === 0) firstMs = nowMs - startedMs;
    ({ settled, total } = progress);
    await delay(POLL_MS);
  }
  return { firstMs, longestMs, elapsedMs: performance.now() - startedMs };
}

/** Texts, pages and tables from 1 to 64 kB. */
function mixedDocuments(): UploadFile[] {
  return Array.from({ length: DOCUMENTS }, (_, number) => {
    const text = sampleText(number, 1_000 * 2 ** (number % 7));
    switch (number % 4) {
      case 0:
        return { name: `page-${number}.html`, text: `<h1>Page</h1><p>${text.replaceAll('. ', '.</p><p>')}</p>` };
      case 1:
        return { name: `table-${number}.csv`, text: `number,text\n${text.replaceAll('. ', `.\n${number},`)}` };
      case 2:
        return { name: `note-${number}.md`, text: `# Note\n\n${text.replaceAll('. ', '.\n\n')}` };
      default:
        return { name: `text-${number}.txt`, text };
    }
  });
}
