import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../domain/caller.ts';
import type { UploadResponse } from '../domain/records/upload.ts';
import type { Services } from './services.ts';

const POLL_MS = 150;

/** Waits until nothing of the upload is under way, at most `timeoutS` seconds. Never fails for want of time. */
export async function waitForUpload(
  services: Services,
  caller: Caller,
  wait: { uploadId: string; timeoutS: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = services.clock.now().getTime() + wait.timeoutS * 1000;
  while (services.clock.now().getTime() < deadline && wait.signal?.aborted !== true) {
    const { byStatus } = await services.stores.uploads.progress(caller.scope, wait.uploadId);
    const { pending, downloading, reading, splitting, indexing } = byStatus;
    if (!pending && !downloading && !reading && !splitting && !indexing) return;
    await delay(POLL_MS);
  }
}

/** The answer of an upload with the statuses that its contents have now. */
export async function refreshUploadResponse(
  services: Services,
  caller: Caller,
  response: UploadResponse,
): Promise<UploadResponse> {
  if (response.upload_id === null) return response;
  const manifest = await services.stores.uploads.manifest(caller.scope, response.upload_id, {
    after: null,
    limit: response.uploads.length,
  });
  const statuses = new Map(manifest.map((row) => [row.content_id, row.status]));
  return {
    ...response,
    uploads: response.uploads.map((item) => ({ ...item, status: statuses.get(item.content_id) ?? item.status })),
  };
}
