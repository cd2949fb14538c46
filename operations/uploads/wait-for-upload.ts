import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '#domain/access/caller.ts';
import type { UploadResponse } from '#domain/records/upload.ts';
import type { Services } from '#operations/services.ts';

const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 1_000;

export type UploadWait = { timeoutS: number; signal?: AbortSignal };

/**
 * Waits until an accepted upload has finished, at most `timeoutS` seconds, and returns its response with the current statuses of
 * the contents. Never throws: the upload stays accepted even if a dependency is unavailable now.
 */
export async function waitForUpload(
  services: Services,
  caller: Caller,
  { response, ...wait }: UploadWait & { response: UploadResponse },
): Promise<UploadResponse> {
  if (response.upload_id === null || wait.timeoutS === 0) return response;
  try {
    await waitUntilFinished(services, caller, { ...wait, uploadId: response.upload_id });
    return await withCurrentStatuses(services, caller, response);
  } catch (error) {
    services.log.warn({ error, upload_id: response.upload_id }, 'waiting for an accepted upload failed');
    return response;
  }
}

async function waitUntilFinished(
  services: Services,
  caller: Caller,
  wait: UploadWait & { uploadId: string },
): Promise<void> {
  const deadline = services.clock.now().getTime() + wait.timeoutS * 1000;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, 1.3 * pollMs)) {
    const leftMs = deadline - services.clock.now().getTime();
    if (leftMs <= 0 || wait.signal?.aborted === true) return;
    const { byStatus } = await services.stores.uploads.progress(caller.scope, wait.uploadId);
    const { pending, downloading, reading, splitting, indexing } = byStatus;
    const isWorking = pending || downloading || reading || splitting || indexing;
    if (!isWorking && (await services.stores.crawls.countRunning(caller.scope, wait.uploadId)).running === 0) return;
    await delay(Math.min(pollMs, leftMs));
  }
}

async function withCurrentStatuses(
  services: Services,
  caller: Caller,
  response: UploadResponse,
): Promise<UploadResponse> {
  if (response.upload_id === null) return response;
  const manifest = await services.stores.uploads.manifest(caller.scope, response.upload_id, {
    after: null,
    limit: response.uploads.length,
    // The manifest also contains archive entries and crawled pages.
    only: response.uploads.map((item) => item.content_id),
  });
  const statuses = new Map(manifest.rows.map((row) => [row.content_id, row.status]));
  return {
    ...response,
    uploads: response.uploads.map((item) => ({ ...item, status: statuses.get(item.content_id) ?? item.status })),
  };
}
