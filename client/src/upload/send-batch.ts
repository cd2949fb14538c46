import { randomUUID } from 'node:crypto';
import { errorFromResponse, LociError } from '../loci-error.ts';
import { requireApi } from '../require-api.ts';
import { withRetries } from '../with-retries.ts';
import { readJson, reportUnreachable, type Transport } from '../transport.ts';
import { matchResponse, type MatchedResponse, type UploadResponse } from './match-response.ts';
import { multipartBody, type FormPart } from './multipart-body.ts';
import { plainName, unreadableReason, type UploadInput } from './upload-input.ts';

/** Fields that apply to every item of an upload. */
export type UploadForm = {
  collectionId: string;
  /** Stored with every content; searches can filter by it. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  description?: string | undefined;
  userId?: string | undefined;
  /** Name of the content if it is the only one of its request, otherwise stored in its metadata. */
  label?: string | undefined;
  /** Reader of the files; default `native`, which detects the type from the content. */
  reader?: string | undefined;
  /** False only stores the items; `POST /chunks/create` ingests them later. */
  ingest?: boolean | undefined;
  /** `keep` creates another content for the same bytes and name. */
  onDuplicate?: 'existing' | 'keep' | undefined;
  /** Follows the links of the URLs within their sites; `true` uses the limits of the service. Ignored for files and texts. */
  crawl?: boolean | { maxPages?: number | undefined; maxDepth?: number | undefined } | undefined;
};

export type BatchContext = {
  transport: Transport;
  form: UploadForm;
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes sent; negative if they were not accepted. */
  onBytes: (count: number) => void;
};

/**
 * Sends one batch with retries. All attempts have the same `Idempotency-Key`, so the batch is accepted only once. When a file has
 * changed between two attempts, the service does not take the second one for the same request, and the batch is sent anew:
 * contents that exist are recognized, unless they are to be kept twice.
 * @throws LociError if the whole request fails; `unreadable_file` if a file changed while it was being sent
 */
export async function sendBatch(
  to: BatchContext,
  batch: readonly UploadInput[],
): Promise<MatchedResponse & { uploadId: string | null }> {
  const send = async (): Promise<UploadResponse> => {
    const key = randomUUID();
    const how = { retries: to.transport.retries, isRepeatable: true, signal: to.signal };
    return withRetries(() => attempt(to, batch, key), how);
  };
  const answer = await send().catch(async (error: unknown) => {
    // With `keep`, what the service has of the first attempt would be stored once more.
    const isSafe = to.form.onDuplicate !== 'keep';
    if (isSafe && error instanceof LociError && error.code === 'idempotency_mismatch') return send();
    throw error;
  });
  return { ...matchResponse(batch, answer), uploadId: answer.upload_id };
}

async function attempt(to: BatchContext, batch: readonly UploadInput[], key: string): Promise<UploadResponse> {
  const { transport, signal } = to;
  // Opened for each attempt, because a failed attempt has consumed the stream of the body.
  const body = multipartBody(await createParts(to.form, batch));
  const counted = countBytes(body.bytes(), to.onBytes);
  try {
    const response = await reportUnreachable(transport, () => {
      const sent = transport.fetch(`${transport.baseUrl}/api/v1/upload`, {
        method: 'POST',
        headers: { ...transport.headers, ...body.headers, 'Idempotency-Key': key },
        // Not a FormData: if a file in it cannot be read, `fetch` of Node 24 hangs.
        body: streamOf(counted.bytes),
        duplex: 'half',
        // Without both settings, `fetch` keeps a copy of the whole body for redirects and authentication.
        redirect: 'error',
        window: null,
        ...(signal ? { signal } : {}),
      });
      return sent.catch((error: unknown) => {
        throw isUnreadable(error) ? unreadableFile(error) : error;
      });
    });
    const answer = await reportUnreachable(transport, () => readJson(requireApi(transport.baseUrl, response)));
    // If no item is accepted, the response is a 400 that lists every item.
    if (isUploadResponse(answer)) return answer;
    throw errorFromResponse(response, answer);
  } catch (error) {
    counted.takeBack();
    throw error;
  }
}

/** Counts the bytes until they are taken back: of a refused body, more may be read. */
function countBytes(all: AsyncGenerator<Uint8Array, void, undefined>, onBytes: (count: number) => void) {
  let total = 0;
  let isTakenBack = false;
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of all) {
      yield bytes;
      if (isTakenBack) continue;
      total += bytes.length;
      onBytes(bytes.length);
    }
  }
  const takeBack = () => {
    isTakenBack = true;
    onBytes(-total);
  };
  return { bytes: counted(), takeBack };
}

/**
 * Returns the bytes as a stream that `fetch` may cancel at any time, as it does when the service answers before it has read everything.
 * The stream of `Readable.toWeb` then throws where nothing can catch it.
 */
function streamOf(bytes: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function createParts(form: UploadForm, batch: readonly UploadInput[]): Promise<FormPart[]> {
  const own = batch.map(ownFields);
  const fields = {
    collection_id: form.collectionId,
    content_type: batch[0]?.source ?? 'file',
    metadata: form.metadata === undefined ? undefined : JSON.stringify(form.metadata),
    description: form.description,
    user_id: form.userId,
    label: form.label,
    reader: form.reader,
    ingest: form.ingest === undefined ? undefined : String(form.ingest),
    on_duplicate: form.onDuplicate,
    ...(batch[0]?.source === 'url' ? crawlFields(form) : {}),
    items: own.some((one) => Object.keys(one).length > 0) ? JSON.stringify(own) : undefined,
  };
  const parts: FormPart[] = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  for (const input of batch) {
    const value = await openInput(input);
    if (typeof value !== 'string') parts.push({ name: 'files', value, fileName: plainName(input.name) });
    else parts.push({ name: input.source === 'url' ? 'urls' : 'content', value });
  }
  return parts;
}

/** Returns what the form says of this item alone: its id, and its name if it is a path. */
function ownFields({ source, name, externalId }: UploadInput): { external_id?: string; name?: string } {
  return {
    ...(externalId === null ? {} : { external_id: externalId }),
    ...(source === 'file' && name !== plainName(name) ? { name } : {}),
  };
}

/** A crawl starts from URLs; files are sent in separate requests. */
function crawlFields({ crawl = false }: UploadForm): Record<string, string | undefined> {
  if (crawl === false) return {};
  const { maxPages, maxDepth } = crawl === true ? {} : crawl;
  return { crawl: 'true', max_pages: maxPages?.toString(), max_depth: maxDepth?.toString() };
}

async function openInput(input: UploadInput): Promise<Blob | string> {
  try {
    return await input.open();
  } catch (error) {
    throw unreadableFile(error);
  }
}

/** Returns true for the error of a file Blob whose file has changed since it was opened. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'NotReadableError' || isUnreadable(error.cause);
}

function unreadableFile(error: unknown): LociError {
  const message = isUnreadable(error) ? 'The file changed while it was being read.' : unreadableReason(error);
  return new LociError(message, { status: null, code: 'unreadable_file', cause: error });
}

function isUploadResponse(answer: unknown): answer is UploadResponse {
  return typeof answer === 'object' && answer !== null && 'uploads' in answer && 'errors' in answer;
}
