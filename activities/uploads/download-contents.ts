import { AppError } from '#domain/app-error.ts';
import type { StepOutcome } from '#domain/uploads/ingest-outcomes.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { claimContents, failContents, sliceOf } from './claim.ts';
import { isPassing, isWorthAnotherDownload } from '#activities/failures.ts';
import { keepHead } from './keep-head.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** After this nothing more is begun; the workflow comes again, and others get their turn. */
const SLICE_MS = 30_000;
const DOWNLOADS_AT_ONCE = 4;
const TRIES = 3;

type Download = { content: OwnedContent; url: string; step: StepContext };

/**
 * Downloads the URLs among the contents of a batch into the blob store. A download that fails is a failure, never content.
 * Each content is claimed when its turn comes, so that a dead worker counts against those it was busy with alone.
 */
export async function downloadContents(
  services: WorkerServices,
  batch: Batch,
  step: StepContext,
): Promise<StepOutcome> {
  const outcome: StepOutcome = { go_on: [], paused: [] };
  const waiting = [...batch.content_ids];
  const deadlineMs = performance.now() + SLICE_MS;
  const next = async (): Promise<void> => {
    while (performance.now() < deadlineMs) {
      const id = waiting.shift();
      if (id === undefined) return;
      await claimAndDownload(services, batch, { id, step, outcome });
    }
  };
  const workers = await Promise.allSettled(
    Array.from({ length: DOWNLOADS_AT_ONCE }, () =>
      next().catch((error: unknown) => {
        // The step fails and comes again: nothing new is begun, what runs is awaited.
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return { ...outcome, more: waiting };
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
      if (content.url === null) throw new Error('a content from a URL has one');
      if (await downloadOne(services, batch, { content, url: content.url, step })) outcome.go_on.push(id);
    } catch (error) {
      await services.stores.runs.forgiveAttempt(scopeOf(batch), sliceOf(batch, [id]));
      throw error;
    }
  }
}

/** True when the bytes are there and the content is still this run's. */
async function downloadOne(services: WorkerServices, batch: Batch, one: Download): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetchInto(services, batch, one);
    } catch (error) {
      one.step.signal.throwIfAborted();
      if (isPassing(error)) throw error;
      if (attempt < TRIES && isWorthAnotherDownload(error)) continue;
      const failure = error instanceof AppError ? error : null;
      if (!failure)
        services.log.error(
          { error, content_id: one.content.content_id, workspace_id: batch.workspace_id },
          'a download failed',
        );
      await failContents(services, batch, [
        {
          content_id: one.content.content_id,
          code: failure?.code ?? 'download_failed',
          message: failure?.message ?? 'The download failed unexpectedly; retry, or upload the file itself.',
        },
      ]);
      return false;
    }
  }
}

async function fetchInto(services: WorkerServices, batch: Batch, one: Download): Promise<boolean> {
  const { content, url, step } = one;
  const { maxBytes, totalTimeoutMs } = services.downloads;
  const response = await services.egress.download(url, {
    maxBytes,
    maxInflatedBytes: maxBytes,
    totalTimeoutMs,
    signal: step.signal,
    headers: { accept: '*/*' },
  });
  const head: Uint8Array[] = [];
  const blob = await services.blobs.put(batch.workspace_id, keepHead(response.body, head), maxBytes);
  if (blob.sizeBytes === 0) throw new AppError('empty_file', 'The URL answered with an empty body.');
  const declaredType = response.headers['content-type'] ?? null;
  const type = await services.readers.detectType(Buffer.concat(head), {
    name: content.name,
    declaredType,
    sizeBytes: blob.sizeBytes,
    checkOut: () => services.blobs.checkOut(batch.workspace_id, blob.sha256),
  });
  if (type === null) throw new AppError('unsupported_type', 'The URL leads to bytes of no known document type.');
  services.readers.requireReadable(content.reader, type);
  return services.stores.transaction(async (stores) => {
    await retainBlobs({ ...services, stores }, scopeOf(batch), [blob]);
    const { content_id, name } = content;
    const file_data = services.readers.mismatchNotes(name, type);
    const file = { content_id, name, type, size: blob.sizeBytes, content_hash: blob.sha256, file_data };
    return stores.runs.finishDownload(scopeOf(batch), sliceOf(batch), file);
  });
}
