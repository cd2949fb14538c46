import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '#domain/access/caller.ts';
import type { UploadResponse } from '#domain/records/upload.ts';
import type { Services } from '#operations/services.ts';

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

export type UploadWait = { timeoutS: number; signal?: AbortSignal };

/**
 * Waits until nothing of an accepted upload is under way, at most `timeoutS` seconds; gives its answer with the statuses that
 * the contents have then. Never fails: what was accepted stays accepted, whatever is away by now.
 */
export async function waitForUpload(
  services: Services,
  caller: Caller,
  { response, ...wait }: UploadWait & { response: UploadResponse },
): Promise<UploadResponse> {
  if (response.upload_id === null || wait.timeoutS === 0) return response;
  try {
    await untilSettled(services, caller, { ...wait, uploadId: response.upload_id });
    return await withPresentStatuses(services, caller, response);
  } catch (error) {
    services.log.warn({ error, upload_id: response.upload_id }, 'an accepted upload could not be waited for');
    return response;
  }
}

async function untilSettled(
  services: Services,
  caller: Caller,
  wait: UploadWait & { uploadId: string },
): Promise<void> {
  const deadline = services.clock.now().getTime() + wait.timeoutS * 1000;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, 1.3 * pollMs)) {
    const leftMs = deadline - services.clock.now().getTime();
    if (leftMs <= 0 || wait.signal?.aborted === true) return;
    const { byStatus } = await services.stores.uploads.progress(caller.scope, wait.uploadId);
    const { pending, downloading, reading, splitting, indexing } = byStatus;
    const isWorking = pending || downloading || reading || splitting || indexing;
    if (!isWorking && (await services.stores.crawls.countRunning(caller.scope, wait.uploadId)).running === 0) return;
    await delay(Math.min(pollMs, leftMs));
  }
}

async function withPresentStatuses(
  services: Services,
  caller: Caller,
  response: UploadResponse,
): Promise<UploadResponse> {
  if (response.upload_id === null) return response;
  const manifest = await services.stores.uploads.manifest(caller.scope, response.upload_id, {
    after: null,
    limit: response.uploads.length,
    // What came out of them is in the upload, too.
    only: response.uploads.map((item) => item.content_id),
  });
  const statuses = new Map(manifest.map((row) => [row.content_id, row.status]));
  return {
    ...response,
    uploads: response.uploads.map((item) => ({ ...item, status: statuses.get(item.content_id) ?? item.status })),
  };
}
