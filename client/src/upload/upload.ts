import pMap from 'p-map';
import type { LociApi } from '../create-loci-client.ts';
import { LociError } from '../loci-error.ts';
import type { Sending } from '../send.ts';
import type { UploadedItem } from './match-answer.ts';
import { type BatchLimits, planBatches } from './plan-batches.ts';
import { presentContents } from './present-contents.ts';
import { sendBatch, type BatchToSend, type UploadForm } from './send-batch.ts';
import {
  fileInput,
  textInput,
  urlInput,
  type FileInput,
  type UploadFailure,
  type UploadInput,
} from './upload-input.ts';

export type UploadOptions = UploadForm & {
  /** Files on disk by path, which are streamed, and files in memory. */
  files?: Iterable<FileInput> | AsyncIterable<FileInput> | undefined;
  texts?: Iterable<string> | undefined;
  urls?: Iterable<string> | undefined;
  /** Ask the collection first, and do not send files that it has under this name with these bytes. */
  skipPresent?: boolean | undefined;
  /** Most items of one request; 200 by default. The service may take fewer, and is given fewer then. */
  maxItems?: number | undefined;
  /** Most bytes of one request, unless a single file has more; 64 MiB by default. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: UploadTally) => void) | undefined;
};

/** How many items came to which end so far, and how many bytes went out, also of what is still under way. */
export type UploadTally = { sent: number; present: number; failed: number; bytes: number };

export type UploadResult = {
  /** One of each request, for `waitUntilReady`. */
  uploadIds: string[];
  /** What the service took, and what it had. Ingestion goes on after this. */
  items: UploadedItem[];
  /** What could not be read, or was refused. */
  failures: UploadFailure[];
};

const MAX_ITEMS = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** One is on its way while the service writes down the other; more would only wait for each other there. */
const REQUESTS_AT_ONCE = 2;
const ATTEMPTS_AT_CHANGING_FILE = 3;

type Upload = BatchToSend & { limits: BatchLimits; result: UploadResult; report: () => void };

/**
 * Uploads in as many requests as it takes. Items that cannot be taken are told in `failures`, and the others go on.
 * @throws LociError when nothing more can be sent: the service is away, or refuses collection, key or form
 */
export async function upload(by: { api: LociApi; sending: Sending }, options: UploadOptions): Promise<UploadResult> {
  const result: UploadResult = { uploadIds: [], items: [], failures: [] };
  let bytes = 0;
  const report = () => options.onProgress?.({ ...tallyOf(result), bytes });
  const run: Upload = {
    sending: by.sending,
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
  const files = planBatches(missingFiles(by.api, options, run), run.limits);
  const texts = planBatches(each(options.texts, textInput), run.limits);
  const urls = planBatches(each(options.urls, urlInput), run.limits);
  const how = { concurrency: REQUESTS_AT_ONCE, ...(options.signal ? { signal: options.signal } : {}) };
  for (const batches of [files, texts, urls]) await pMap(batches, (batch) => send(run, batch), how);
  return result;
}

function tallyOf({ items, failures }: UploadResult): Omit<UploadTally, 'bytes'> {
  const present = items.filter(({ upload_id }) => upload_id === null).length;
  return { sent: items.length - present, present, failed: failures.length };
}

/** The files that have to be sent; what becomes of the others is in the result already. */
async function* missingFiles(api: LociApi, options: UploadOptions, run: Upload): AsyncGenerator<UploadInput> {
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
    const { id, name, type, size, content_hash, status } = content;
    const item = { content_id: id, name, source: 'file' as const, type, size, content_hash, status, duplicate: true };
    run.result.items.push({ ...item, input: input.input, upload_id: null });
    run.report();
  }
}

async function* each(
  texts: Iterable<string> | undefined,
  toInput: (text: string) => UploadInput,
): AsyncGenerator<UploadInput> {
  for (const text of texts ?? []) yield toInput(text);
}

/** Sends a batch, in parts where the whole is too much or has a file that cannot be read. */
async function send(run: Upload, batch: readonly UploadInput[], attempts = 1): Promise<void> {
  try {
    const { items, failures, beyondLimit, uploadId } = await sendBatch(run, batch);
    run.result.items.push(...items);
    run.result.failures.push(...failures);
    if (uploadId !== null) run.result.uploadIds.push(uploadId);
    run.report();
    if (beyondLimit.length > 0) {
      run.limits.maxItems = Math.max(1, batch.length - beyondLimit.length);
      await send(run, beyondLimit);
    }
  } catch (error) {
    if (!(error instanceof LociError) || !concernsItems(error)) throw error;
    const [first] = batch;
    if (batch.length > 1) {
      if (error.status === 413) shrink(run.limits);
      await sendHalves(run, batch);
    } else if (error.code === 'unreadable_file' && attempts < ATTEMPTS_AT_CHANGING_FILE) {
      await send(run, batch, attempts + 1);
    } else if (first !== undefined) {
      const { input, name, source } = first;
      run.result.failures.push({ input, name, source, code: error.code, message: error.detail });
      run.report();
    }
  }
}

async function sendHalves(run: Upload, batch: readonly UploadInput[]): Promise<void> {
  const middle = Math.ceil(batch.length / 2);
  await send(run, batch.slice(0, middle));
  await send(run, batch.slice(middle));
}

function shrink(limits: BatchLimits): void {
  limits.maxItems = Math.max(1, Math.floor(limits.maxItems / 2));
  limits.maxBytes = Math.max(1, Math.floor(limits.maxBytes / 2));
}

/** Whether fewer items could be sent. */
function concernsItems({ status, code }: LociError): boolean {
  return status === 413 || code === 'unreadable_file';
}
