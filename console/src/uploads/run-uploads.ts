import { LociError } from '@loci/client/browser';
import { matchEntries } from './match-entries.ts';
import { planBatch } from './plan-batch.ts';
import { sendUpload, type UploadHeaders } from './send-upload.ts';
import type { UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** One request is sent while the service stores the files of the other. */
const CONCURRENCY = 2;
let running = 0;

/** Sends what waits, a few requests at a time, until nothing waits any more. `onAccepted` is called after each of them. */
export function runUploads(headers: UploadHeaders, onAccepted: () => void): void {
  while (running < CONCURRENCY) {
    const batch = planBatch(uploadStore.read());
    if (batch.length === 0) return;
    running += 1;
    void sendBatch(headers, batch).finally(() => {
      running -= 1;
      onAccepted();
      runUploads(headers, onAccepted);
    });
  }
}

async function sendBatch(headers: UploadHeaders, batch: readonly UploadEntry[]): Promise<void> {
  const ids = new Set(batch.map(({ id }) => id));
  uploadStore.update(ids, () => ({ state: 'sending', sent: 0, message: null }));
  try {
    const onSent = (sent: number) => uploadStore.update(ids, () => ({ sent }));
    const outcomes = matchEntries(batch, await sendUpload({ headers, batch, onSent }));
    const byId = new Map(batch.map(({ id }, at) => [id, outcomes[at]]));
    uploadStore.update(ids, ({ id }) => byId.get(id) ?? {});
  } catch (error) {
    const message =
      error instanceof LociError ? `${error.detail} (${error.code}, ${error.requestId ?? '–'})` : String(error);
    uploadStore.update(ids, () => ({ state: 'failed', message }));
  }
}
