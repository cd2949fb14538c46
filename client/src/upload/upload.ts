import pMap from 'p-map';
import type { LociApi } from '../loci-api.ts';
import { LociError } from '../loci-error.ts';
import type { Transport } from '../transport.ts';
import type { UploadedItem } from './match-response.ts';
import { type BatchLimits, planBatches } from './plan-batches.ts';
import { presentContents } from './present-contents.ts';
import { sendBatch, type BatchContext, type UploadForm } from './send-batch.ts';
import {
  fileInput,
  textInput,
  urlInput,
  type FileInput,
  type UploadFailure,
  type UploadInput,
} from './upload-input.ts';

export type UploadOptions = UploadForm & {
  /** Files on disk by path (streamed), and files in memory. */
  files?: Iterable<FileInput> | AsyncIterable<FileInput> | undefined;
  texts?: Iterable<string> | undefined;
  urls?: Iterable<string> | undefined;
  /** True skips files that the collection already has with the same name and bytes, and the same `externalId` if they have one. */
  skipPresent?: boolean | undefined;
  /** Maximum items per request; default 200. Reduced automatically if the service accepts fewer. */
  maxItems?: number | undefined;
  /** Maximum bytes per request, except for a single larger file; default 64 MiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: UploadTally) => void) | undefined;
};

/** Number of items by result so far, and number of bytes sent, including those of running requests. */
export type UploadTally = { sent: number; present: number; failed: number; bytes: number };

export type UploadResult = {
  /** One id per request, for `waitUntilReady`. */
  uploadIds: string[];
  /** Items that the service accepted or already had. Their ingestion continues after the upload. */
  items: UploadedItem[];
  /** Items that could not be read or were rejected. */
  failures: UploadFailure[];
};

const MAX_ITEMS = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** Requests are not made smaller than this because of a few bytes that were too many. */
const LEAST_BYTES = 512 * 1024;
/** One request is sent while the service stores the other; more requests would only wait for each other. */
const REQUEST_CONCURRENCY = 2;
const MAX_ATTEMPTS_PER_CHANGING_FILE = 3;

type Upload = BatchContext & { limits: BatchLimits; result: UploadResult; report: () => void };

/**
 * Uploads all items in as many requests as necessary. Rejected items are reported in `failures`; the others continue.
 * @throws LociError if the upload cannot continue: the service is unreachable, or rejects the collection, key or form
 */
export async function upload(
  by: { api: LociApi; transport: Transport },
  options: UploadOptions,
): Promise<UploadResult> {
  const result: UploadResult = { uploadIds: [], items: [], failures: [] };
  let bytes = 0;
  const report = () => options.onProgress?.({ ...tallyOf(result), bytes });
  const run: Upload = {
    transport: by.transport,
    form: options,
    signal: options.signal,
    limits: { maxItems: options.maxItems ?? MAX_ITEMS, maxBytes: options.maxBytes ?? MAX_BYTES },
    result,
    report,
    onBytes(count) {
      bytes += count;
      report();
    },
  };
  const files = planBatches(filesToSend(by.api, options, run), run.limits);
  const texts = planBatches(mapInputs(options.texts, textInput), run.limits);
  const urls = planBatches(mapInputs(options.urls, urlInput), run.limits);
  const how = { concurrency: REQUEST_CONCURRENCY, ...(options.signal ? { signal: options.signal } : {}) };
  for (const batches of [files, texts, urls]) await pMap(batches, (batch) => sendSplitting(run, batch), how);
  return result;
}

function tallyOf({ items, failures }: UploadResult): Omit<UploadTally, 'bytes'> {
  const present = items.filter(({ upload_id }) => upload_id === null).length;
  return { sent: items.length - present, present, failed: failures.length };
}

/** Yields the files that must be sent, and adds skipped and unreadable files to the result. */
async function* filesToSend(api: LociApi, options: UploadOptions, run: Upload): AsyncGenerator<UploadInput> {
  const { files = [], skipPresent = false, onDuplicate, userId, label } = options;
  const canSkip = skipPresent && onDuplicate !== 'keep' && userId === undefined && label === undefined;
  const present = canSkip ? await presentContents(api, options, Array.isArray(files) ? files.length : null) : null;
  for await (const file of files) {
    const input = await fileInput(file);
    if ('code' in input) {
      run.result.failures.push(input);
      run.report();
      continue;
    }
    const content = (await present?.find(input)) ?? null;
    if (content === null) {
      yield input;
      continue;
    }
    const { id: content_id, name, external_id, type, size, content_hash, status } = content;
    const item = { content_id, name, external_id, source: 'file' as const, type, size, content_hash, status };
    run.result.items.push({ ...item, duplicate: true, replaced: false, input: input.input, upload_id: null });
    run.report();
  }
}

async function* mapInputs(
  texts: Iterable<string> | undefined,
  toInput: (text: string) => UploadInput,
): AsyncGenerator<UploadInput> {
  for (const text of texts ?? []) yield toInput(text);
}

/** Sends a batch; splits it if it is too large or contains a file that cannot be read. Returns whether no item was too large by itself. */
async function sendSplitting(run: Upload, batch: readonly UploadInput[], attempts = 1): Promise<boolean> {
  try {
    return await sendWhole(run, batch);
  } catch (error) {
    if (!(error instanceof LociError) || !mayFitWithFewerItems(error)) throw error;
    const isTooLarge = error.status === 413;
    if (batch.length > 1) return sendHalves(run, batch, isTooLarge);
    if (error.code === 'unreadable_file' && attempts < MAX_ATTEMPTS_PER_CHANGING_FILE) {
      return sendSplitting(run, batch, attempts + 1);
    }
    for (const { input, name, source } of batch) {
      run.result.failures.push({ input, name, source, code: error.code, message: error.detail });
    }
    run.report();
    return !isTooLarge;
  }
}

async function sendWhole(run: Upload, batch: readonly UploadInput[]): Promise<boolean> {
  const { items, failures, beyondLimit, uploadId } = await sendBatch(run, batch);
  run.result.items.push(...items);
  run.result.failures.push(...failures);
  if (uploadId !== null) run.result.uploadIds.push(uploadId);
  run.report();
  if (beyondLimit.length === 0) return true;
  run.limits.maxItems = Math.min(run.limits.maxItems, Math.max(1, batch.length - beyondLimit.length));
  return sendSplitting(run, beyondLimit);
}

/** Later requests are no larger than halves of one that was too large, unless it was one item that was too large. */
async function sendHalves(run: Upload, batch: readonly UploadInput[], isTooLarge: boolean): Promise<boolean> {
  const middle = Math.ceil(batch.length / 2);
  const halves = [batch.slice(0, middle), batch.slice(middle)];
  let areFitting = true;
  for (const half of halves) areFitting = (await sendSplitting(run, half)) && areFitting;
  if (isTooLarge && areFitting) {
    // Of a batch of few bytes, the items were too many.
    if (sizeOf(batch) <= 2 * LEAST_BYTES) run.limits.maxItems = Math.min(run.limits.maxItems, middle);
    else {
      const size = Math.max(...halves.map(sizeOf));
      run.limits.maxBytes = Math.min(run.limits.maxBytes, Math.max(LEAST_BYTES, size));
    }
  }
  return areFitting;
}

function sizeOf(batch: readonly UploadInput[]): number {
  return batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Returns true if the error may disappear with fewer items. */
function mayFitWithFewerItems({ status, code }: LociError): boolean {
  return status === 413 || code === 'unreadable_file';
}
