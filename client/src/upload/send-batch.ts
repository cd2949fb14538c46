import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { FormDataEncoder } from 'form-data-encoder';
import { errorFromResponse, LociError } from '../loci-error.ts';
import { requireApi } from '../require-api.ts';
import { withRetries } from '../with-retries.ts';
import { readJson, reportUnreachable, type Transport } from '../transport.ts';
import { matchResponse, type MatchedResponse, type UploadResponse } from './match-response.ts';
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
  /** Called with the number of bytes sent; negative if they have to be sent again. */
  onBytes: (count: number) => void;
};

/**
 * Sends one batch with retries. All attempts have the same `Idempotency-Key`, so the batch is accepted only once.
 * @throws LociError if the whole request fails; `unreadable_file` if a file changed while it was being sent
 */
export async function sendBatch(
  to: BatchContext,
  batch: readonly UploadInput[],
): Promise<MatchedResponse & { uploadId: string | null }> {
  const key = randomUUID();
  const attempt = async (): Promise<UploadResponse> => {
    const { transport, signal } = to;
    // Opened for each attempt, because a failed attempt has consumed the stream of the body.
    const encoder = new FormDataEncoder(await createForm(to.form, batch));
    const response = await reportUnreachable(transport, async () => {
      const body = countBytes(encoder, to.onBytes);
      try {
        return await transport.fetch(`${transport.baseUrl}/api/v1/upload`, {
          method: 'POST',
          headers: { ...transport.headers, ...encoder.headers, 'Idempotency-Key': key },
          // Not the form itself: if a file in it cannot be read, `fetch` of Node 24 hangs.
          body: Readable.toWeb(Readable.from(body.stream)),
          duplex: 'half',
          // Without both settings, `fetch` keeps a copy of the whole body for redirects and authentication.
          redirect: 'error',
          window: null,
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        body.takeBack();
        throw isUnreadable(error) ? unreadableFile(error) : error;
      }
    });
    const answer = await reportUnreachable(transport, () => readJson(requireApi(transport.baseUrl, response)));
    // If no item is accepted, the response is a 400 that lists every item.
    if (isUploadResponse(answer)) return answer;
    throw errorFromResponse(response, answer);
  };
  const answer = await withRetries(attempt, { retries: to.transport.retries, isRepeatable: true, signal: to.signal });
  return { ...matchResponse(batch, answer), uploadId: answer.upload_id };
}

function countBytes(encoder: FormDataEncoder, onBytes: (count: number) => void) {
  let total = 0;
  async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of encoder.encode()) {
      yield bytes;
      total += bytes.length;
      onBytes(bytes.length);
    }
  }
  return { stream: stream(), takeBack: () => onBytes(-total) };
}

async function createForm(form: UploadForm, batch: readonly UploadInput[]): Promise<FormData> {
  const data = new FormData();
  data.append('collection_id', form.collectionId);
  data.append('content_type', batch[0]?.source ?? 'file');
  const fields = {
    metadata: form.metadata === undefined ? undefined : JSON.stringify(form.metadata),
    description: form.description,
    user_id: form.userId,
    label: form.label,
    reader: form.reader,
    ingest: form.ingest === undefined ? undefined : String(form.ingest),
    on_duplicate: form.onDuplicate,
    ...(batch[0]?.source === 'url' ? crawlFields(form) : {}),
  };
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) data.append(name, value);
  const own = batch.map(ownFields);
  if (own.some((one) => Object.keys(one).length > 0)) data.append('items', JSON.stringify(own));
  for (const input of batch) {
    const opened = await openInput(input);
    if (typeof opened !== 'string') data.append('files', opened, plainName(input.name));
    else data.append(input.source === 'url' ? 'urls' : 'content', opened);
  }
  return data;
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
