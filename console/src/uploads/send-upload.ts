import { errorFromResponse, LociError, notTheApi } from '@loci/client/browser';
import type { Schemas } from '../api/schemas.ts';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import type { UploadEntry } from './upload-entry.ts';

type Response = Schemas['UploadResponse'];
/** They prove who sends. */
export type UploadHeaders = Readonly<Record<string, string>>;
export type UploadRequest = {
  headers: UploadHeaders;
  /** The same for each attempt to send the batch, so that it is accepted once. */
  idempotencyKey: string;
  batch: readonly UploadEntry[];
  /** Called with the share of the bytes that are sent. */
  onSent: (share: number) => void;
  signal: AbortSignal;
};

/**
 * Sends entries of one collection in one form. `fetch` does not tell how much of a body is sent, so this is an XMLHttpRequest.
 * @throws LociError when the service refuses the whole request, or cannot be reached
 */
export async function sendUpload({
  headers: credentials,
  idempotencyKey,
  batch,
  onSent,
  signal,
}: UploadRequest): Promise<Response> {
  const request = new XMLHttpRequest();
  const answered = new Promise<void>((resolve, reject) => {
    request.addEventListener('load', () => resolve());
    request.addEventListener('error', () => reject(notSent(uploadsTexts.unreachable)));
    request.addEventListener('abort', () => reject(notSent(uploadsTexts.aborted)));
  });
  request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 0 : loaded / total));
  request.open('POST', '/api/v1/upload');
  for (const [name, value] of Object.entries(credentials)) request.setRequestHeader(name, value);
  request.setRequestHeader('Idempotency-Key', idempotencyKey);
  request.send(formOf(batch));
  const abort = () => request.abort();
  signal.addEventListener('abort', abort, { once: true });
  await answered.finally(() => signal.removeEventListener('abort', abort));
  const { status } = request;
  const isPage = /^text\/html\b/i.test(request.getResponseHeader('Content-Type') ?? '');
  if (isPage && status >= 200 && status < 300) throw notTheApi(globalThis.location.origin, status);
  const body = parse(request.responseText);
  // When every item is refused, the status is 400 and the body lists why.
  if (isUploadResponse(body)) return body;
  const names = ['X-Request-Id', 'Retry-After'];
  const headers = Object.fromEntries(names.map((name) => [name, request.getResponseHeader(name) ?? '']));
  throw errorFromResponse(new globalThis.Response(null, { status, headers }), body);
}

function formOf(batch: readonly UploadEntry[]): FormData {
  const form = new FormData();
  form.append('collection_id', batch[0]?.collectionId ?? '');
  const items = batch.map(({ name, source }) => (source.kind === 'file' && name.includes('/') ? { name } : {}));
  if (items.some((item) => 'name' in item)) form.append('items', JSON.stringify(items));
  for (const { source } of batch) if (source.kind === 'file') form.append('files', source.file, source.file.name);
  const urls = batch.flatMap(({ source }) => (source.kind === 'url' ? [source.url] : []));
  // As one array: a line that looks like a JSON array would otherwise be read as several addresses.
  if (urls.length > 0) form.append('urls', JSON.stringify(urls));
  if (batch.some(({ source }) => source.kind === 'url' && source.crawl)) form.append('crawl', 'true');
  return form;
}

function notSent(detail: string): LociError {
  return new LociError(detail, { status: null, code: 'unreachable' });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isUploadResponse(body: unknown): body is Response {
  return typeof body === 'object' && body !== null && 'uploads' in body && 'errors' in body;
}
