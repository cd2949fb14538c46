import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import { spooledFile } from '#operations/blobs/spooled-file.ts';
import type { StepOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { claimContents } from './claim-contents.ts';
import { failContents } from './fail-contents.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import { runContentsOf, type StepContext } from '#activities/step.ts';
import { isPassing, isWorthAnotherDownload } from '#activities/failures.ts';
import { keepHead } from './keep-head.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const CONCURRENCY = 4;
const MAX_ATTEMPTS = 3;
/** Waits between attempts: 1 s and 4 s, or as long as the server asks for, up to a limit: the slot is for others then. */
const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 4;
const MAX_WAIT_MS = 30_000;
/** How soon a download ends whose content is cancelled, deleted or replaced. */
const CHECK_EVERY_MS = 1_000;

/** `signal`: aborted with that of the step, or when nobody wants the file any more. */
type Download = { content: OwnedContent; url: string; step: StepContext; signal: AbortSignal };

/**
 * Downloads the URLs among the contents of a batch into the blob store. The answer of a failed download is never stored as
 * content. Each content is claimed just before its download, so that a dead worker counts only against the contents it was
 * downloading.
 */
export async function downloadContents(
  services: WorkerServices,
  batch: Batch,
  step: StepContext,
): Promise<StepOutcome> {
  const outcome: StepOutcome = { go_on: [], paused: [] };
  const waiting = [...batch.content_ids];
  using place = await findPlace(services, batch, step);
  if (place === null) return { ...outcome, more: waiting };
  const timeSlice = startTimeSlice();
  const downloadNext = async (): Promise<void> => {
    while (!timeSlice.isOver()) {
      const id = waiting.shift();
      if (id === undefined) return;
      await claimAndDownload(services, batch, { id, step, outcome });
    }
  };
  const workers = await Promise.allSettled(
    Array.from({ length: CONCURRENCY }, () =>
      downloadNext().catch((error: unknown) => {
        // The activity fails and is retried: start no more downloads, but wait for those that run.
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return { ...outcome, more: waiting };
}

/**
 * Waits for a place for the time of a slice. Null when the workspace has as many as it may have: slow servers keep them for a quarter
 * of an hour, and the slot of this activity is for others then.
 */
async function findPlace(
  { downloads }: WorkerServices,
  { workspace_id: share }: Batch,
  { signal }: StepContext,
): Promise<Disposable | null> {
  const late = AbortSignal.timeout(Math.ceil(startTimeSlice().leftMs()));
  try {
    return await downloads.places.hold({ share, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return null;
    throw error;
  }
}

async function claimAndDownload(
  services: WorkerServices,
  batch: Batch,
  { id, step, outcome }: { id: string; step: StepContext; outcome: StepOutcome },
): Promise<void> {
  step.signal.throwIfAborted();
  const { owned, paused, further } = await claimContents(services, batch, {
    contentIds: [id],
    stage: 'downloading',
    upTo: 'downloading',
    source: 'url',
  });
  outcome.paused.push(...paused);
  outcome.go_on.push(...further);
  for (const content of owned) {
    try {
      if (content.url === null) throw new Error('a content with source url has no URL');
      using watch = watchRun(services, batch, id);
      const signal = AbortSignal.any([step.signal, watch.signal]);
      if (await downloadOne(services, batch, { content, url: content.url, step, signal })) outcome.go_on.push(id);
    } catch (error) {
      await services.stores.runs.forgiveAttempt(collectionScope(batch), runContentsOf(batch, [id]));
      throw error;
    }
  }
}

/**
 * Watches whether the run still owns a content: otherwise its download, of up to a quarter of an hour and three times, would hold up
 * the other contents of the batch. Dispose it at the end.
 */
function watchRun(services: WorkerServices, batch: Batch, contentId: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    const run = runContentsOf(batch, [contentId]);
    // While the database does not answer, the download goes on.
    const owned = await services.stores.runs.stagesOf(collectionScope(batch), run).catch(() => null);
    isChecking = false;
    if (owned?.length === 0) controller.abort(new Error('a content was cancelled while it was downloaded'));
  };
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns true when the file is stored and this run still owns the content. */
async function downloadOne(services: WorkerServices, batch: Batch, one: Download): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await downloadFile(services, batch, one);
    } catch (error) {
      one.step.signal.throwIfAborted();
      if (one.signal.aborted) return false;
      if (isPassing(error)) throw error;
      const failure = error instanceof AppError ? error : null;
      if (attempt < MAX_ATTEMPTS && isWorthAnotherDownload(error)) {
        // When the content is cancelled or the worker stops, the next attempt ends at once.
        await delay(waitMs(attempt, failure), undefined, { signal: one.signal }).catch(() => undefined);
        continue;
      }
      if (!failure)
        services.log.error(
          { error, content_id: one.content.content_id, workspace_id: batch.workspace_id },
          'a download failed',
        );
      await failContents(services, batch, [
        {
          content_id: one.content.content_id,
          code: failure?.code ?? 'download_failed',
          message: failure?.message ?? 'The download failed unexpectedly. Retry, or upload the file itself.',
        },
      ]);
      return false;
    }
  }
}

/** Returns how long to wait after a failed attempt. */
function waitMs(attempt: number, failure: AppError | null): number {
  const askedMs = (failure?.retryAfterS ?? 0) * 1_000;
  return Math.min(Math.max(askedMs, FIRST_WAIT_MS * WAIT_GROWTH ** (attempt - 1)), MAX_WAIT_MS);
}

async function downloadFile(services: WorkerServices, batch: Batch, one: Download): Promise<boolean> {
  const { content, url, signal } = one;
  const { maxBytes, totalTimeoutMs } = services.downloads;
  const response = await services.egress.download(url, {
    maxBytes,
    maxInflatedBytes: maxBytes,
    totalTimeoutMs,
    signal,
    headers: { accept: '*/*' },
  });
  const head: Uint8Array[] = [];
  await using blob = await services.blobs.spool(keepHead(response.body, head), maxBytes);
  if (blob.sizeBytes === 0) throw new AppError('empty_file', 'The URL answered with an empty body.');
  const declaredType = response.headers['content-type'] ?? null;
  const type = await services.readers.detectType(Buffer.concat(head), {
    name: content.name,
    declaredType,
    sizeBytes: blob.sizeBytes,
    checkOut: () => spooledFile(blob),
  });
  if (type === null) throw new AppError('unsupported_type', 'The URL returned a file of an unknown type.');
  services.readers.requireReadable(content.reader, type);
  await services.blobs.store(batch.workspace_id, [blob]);
  const scope = collectionScope(batch);
  const jobs = await services.stores.transaction(async (stores) => {
    await retainBlobs({ stores }, scope, [blob]);
    const { content_id, name } = content;
    await stores.contentChanges.lockWithRuns(scope, [content_id]);
    const file_data = services.readers.mismatchNotes(name, type);
    const file = { content_id, name, type, size: blob.sizeBytes, content_hash: blob.sha256, file_data };
    const finished = await stores.runs.finishDownload(scope, runContentsOf(batch), file);
    return finished && enqueueReprojection(stores, scope, finished.is_outdated ? [content_id] : []);
  });
  startWorkflows(services, jobs ?? []);
  return jobs !== null;
}
