import { setTimeout as delay } from 'node:timers/promises';
import { UploadResponse } from '#domain/records/upload.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { Corpus } from '../corpus.ts';
import type { PageServer } from '../page-server.ts';
import type { AcknowledgedContent } from '../round-result.ts';
import { prepareUpload, type CorpusUpload } from '../upload-corpus.ts';

export type DocumentSender = {
  /** Each request goes to the first; while that fails, to the others in turn. */
  apis: readonly ApiClient[];
  pages: PageServer;
  collectionId: string;
  /** Names the requests: one that is sent again has the same `Idempotency-Key`. */
  name: string;
  /** Ids of acknowledged uploads, and their contents, are added to these at once. */
  uploadIds: string[];
  contents: AcknowledgedContent[];
};

const DOCUMENTS_PER_REQUEST = 12;
const PAUSE_MS = 200;
const GIVE_UP_MS = 120_000;
const CONFLICT = 409;
const SERVER_ERROR = 500;

/**
 * Uploads documents in several requests, one after the other, as a client does that must not lose one. Returns the number of attempts
 * that got no answer, or one that says to try again.
 */
export async function sendDocuments(sender: DocumentSender, { files, pages }: Corpus): Promise<number> {
  let repeated = 0;
  for (let start = 0; start < Math.max(files.length, pages.length); start += DOCUMENTS_PER_REQUEST) {
    const end = start + DOCUMENTS_PER_REQUEST;
    const upload = prepareUpload({ files: files.slice(start, end), pages: pages.slice(start, end) }, sender);
    const { answer, attempts } = await sendUntilAnswered(sender, upload, `${sender.name}-${start}`);
    const { uploadId, contents } = upload.acknowledge(answer);
    sender.uploadIds.push(uploadId);
    sender.contents.push(...contents);
    repeated += attempts - 1;
  }
  return repeated;
}

async function sendUntilAnswered({ apis }: DocumentSender, upload: CorpusUpload, key: string) {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (let attempts = 1; ; attempts += 1) {
    const answer = await apis[(attempts - 1) % apis.length]
      ?.send('/upload', { method: 'POST', headers: { 'Idempotency-Key': key }, body: upload.form() })
      .catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (answer?.status === 202 && typeof text === 'string')
      return { answer: UploadResponse.parse(JSON.parse(text)), attempts };
    const isRefused = answer && answer.status < SERVER_ERROR && answer.status !== CONFLICT && answer.status !== 202;
    if (isRefused || performance.now() > giveUpAt)
      throw new Error(`upload ${key} was answered ${answer?.status ?? 'not at all'}: ${text}`);
    await delay(PAUSE_MS);
  }
}
