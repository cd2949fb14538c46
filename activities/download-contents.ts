import { AppError } from '../domain/app-error.ts';
import type { StepOutcome } from '../domain/ingest-outcomes.ts';
import type { Batch } from '../domain/ingest-steps.ts';
import type { OwnedContent } from '../store/run-stages.ts';
import { claimContents, failContents, sliceOf } from './claim.ts';
import { isPassing, isWorthAnotherDownload } from './failures.ts';
import { scopeOf, type StepContext } from './step.ts';
import type { WorkerServices } from './worker-services.ts';

const DOWNLOADS_AT_ONCE = 4;
const TRIES = 3;
const HEAD_BYTES = 64 * 1024;

type Download = { content: OwnedContent; url: string };

/** Downloads the URLs among the contents of a batch into the blob store. A download that fails is a failure, never content. */
export async function downloadContents(
  services: WorkerServices,
  batch: Batch,
  step: StepContext,
): Promise<StepOutcome> {
  const { owned, paused, further } = await claimContents(services, batch, {
    contentIds: batch.content_ids,
    stage: 'downloading',
    upTo: 'downloading',
  });
  const files = owned.filter((content) => content.source !== 'url');
  const waiting = owned.flatMap((content) =>
    content.source === 'url' && content.url !== null ? [{ content, url: content.url }] : [],
  );
  const done: string[] = [];
  try {
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        if (await downloadOne(services, batch, { ...one, step })) done.push(one.content.content_id);
      }
    };
    await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, next));
  } catch (error) {
    await services.stores.runs.forgiveAttempt(scopeOf(batch), sliceOf(batch));
    throw error;
  }
  return { go_on: [...further, ...files.map((content) => content.content_id), ...done], paused };
}

/** True when the bytes are there and the content is still this run's. */
async function downloadOne(
  services: WorkerServices,
  batch: Batch,
  one: Download & { step: StepContext },
): Promise<boolean> {
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

async function fetchInto(
  services: WorkerServices,
  batch: Batch,
  one: Download & { step: StepContext },
): Promise<boolean> {
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
  });
  if (type === null) throw new AppError('unsupported_type', 'The URL leads to bytes of no known document type.');
  services.readers.requireReadable(content.reader, type);
  return services.stores.transaction(async (stores) => {
    await stores.blobRows.retain(scopeOf(batch), [blob]);
    const { content_id, name } = content;
    const file = { content_id, name, type, size: blob.sizeBytes, content_hash: blob.sha256 };
    return stores.runs.finishDownload(scopeOf(batch), sliceOf(batch), file);
  });
}

async function* keepHead(bytes: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncIterable<Uint8Array> {
  let kept = 0;
  for await (const part of bytes) {
    if (kept < HEAD_BYTES) {
      head.push(part.subarray(0, HEAD_BYTES - kept));
      kept += part.length;
    }
    yield part;
  }
}
