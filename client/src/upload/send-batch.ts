import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { FormDataEncoder } from 'form-data-encoder';
import { errorOfAnswer, LociError } from '../loci-error.ts';
import { retrying } from '../retrying.ts';
import { jsonOf, reach, type Sending } from '../send.ts';
import { matchAnswer, type MatchedAnswer, type UploadAnswer } from './match-answer.ts';
import { unreadable, type UploadInput } from './upload-input.ts';

/** What goes with every item of an upload. */
export type UploadForm = {
  collectionId: string;
  /** Attached to every content; filters of searches can ask for it. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  description?: string | undefined;
  userId?: string | undefined;
  /** Name of the content when it is the only one of its request, else kept in its metadata. */
  label?: string | undefined;
  /** How files are read; `native`, by content, when absent. */
  reader?: string | undefined;
  /** False only stores; `POST /chunks/create` ingests later. */
  ingest?: boolean | undefined;
  /** `keep` takes the same bytes under the same name once more. */
  onDuplicate?: 'existing' | 'keep' | undefined;
  /** Follow the links of the URLs on their sites; `true` with the limits of the service. Files and texts are taken beside. */
  crawl?: boolean | { maxPages?: number | undefined; maxDepth?: number | undefined } | undefined;
};

export type BatchToSend = {
  sending: Sending;
  form: UploadForm;
  signal?: AbortSignal | undefined;
  /** Is told of bytes that have gone out; less than 0 when they went in vain and go again. */
  onBytes: (count: number) => void;
};

/**
 * Sends one request, as often as it takes; the `Idempotency-Key` is that of the batch, so that it is taken once.
 * @throws LociError for what concerns the whole request; `unreadable_file` when a file changed while it was being sent
 */
export async function sendBatch(
  to: BatchToSend,
  batch: readonly UploadInput[],
): Promise<MatchedAnswer & { uploadId: string | null }> {
  const key = randomUUID();
  const attempt = async (): Promise<UploadAnswer> => {
    const { sending, signal } = to;
    // Opened anew each time: a stream of a body is used up by the attempt that failed.
    const encoder = new FormDataEncoder(await formOf(to.form, batch));
    const response = await reach(sending, async () => {
      const body = counted(encoder, to.onBytes);
      try {
        return await sending.fetch(`${sending.baseUrl}/api/v1/upload`, {
          method: 'POST',
          headers: { ...sending.headers, ...encoder.headers, 'Idempotency-Key': key },
          // Not the form itself: where a file of it cannot be read, `fetch` of Node 24 neither fails nor ends.
          body: Readable.toWeb(Readable.from(body.stream)),
          duplex: 'half',
          // Unless both are so, `fetch` keeps a copy of the whole body for a redirect or a window to come.
          redirect: 'error',
          window: null,
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        body.takeBack();
        throw isUnreadable(error) ? unreadableFile(error) : error;
      }
    });
    const answer = await reach(sending, () => jsonOf(response));
    // Where no item can be taken, the answer is a 400 that tells of each.
    if (isUploadAnswer(answer)) return answer;
    throw errorOfAnswer(response, answer);
  };
  const answer = await retrying(attempt, { retries: to.sending.retries, isRepeatable: true, signal: to.signal });
  return { ...matchAnswer(batch, answer), uploadId: answer.upload_id };
}

function counted(encoder: FormDataEncoder, onBytes: (count: number) => void) {
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

async function formOf(form: UploadForm, batch: readonly UploadInput[]): Promise<FormData> {
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
  for (const input of batch) {
    const opened = await openInput(input);
    if (typeof opened !== 'string') data.append('files', opened, input.name);
    else data.append(input.source === 'url' ? 'urls' : 'content', opened);
  }
  return data;
}

/** A crawl starts from URLs, and files go in requests of their own. */
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

/** A Blob of a file says so when the file is no longer what it was when it was opened. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'NotReadableError' || isUnreadable(error.cause);
}

function unreadableFile(error: unknown): LociError {
  const message = isUnreadable(error) ? 'The file changed while it was being read.' : unreadable(error);
  return new LociError(message, { status: null, code: 'unreadable_file', cause: error });
}

function isUploadAnswer(answer: unknown): answer is UploadAnswer {
  return typeof answer === 'object' && answer !== null && 'uploads' in answer && 'errors' in answer;
}
