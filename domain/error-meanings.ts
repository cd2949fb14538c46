import type { ErrorCode } from './app-error.ts';

/** What a code means, and what to do about it: the same words in the Temporal UI and in `docs/api.md`. */
export type ErrorMeaning = { meaning: string; remedy: string };

/** Every code that a client or an operator can see. Imported by workflows: no zod, no I/O. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  invalid_request: { meaning: 'The request cannot be read', remedy: 'Repair the request as `detail` says' },
  validation_failed: {
    meaning: 'Fields of the request are not valid',
    remedy: 'Repair every field listed in `detail`',
  },
  unauthorized: {
    meaning: 'No usable API key',
    remedy: 'Send a key that is active and not expired, as `X-API-Key` or as bearer',
  },
  forbidden: {
    meaning: 'The key may not do this',
    remedy: 'Use a key with the permission, collection or address named',
  },
  not_found: { meaning: 'There is no such thing, or the key does not reach it', remedy: 'Check the id and the key' },
  conflict: { meaning: 'The present state does not allow this', remedy: 'Read the state again, then decide' },
  idempotency_conflict: {
    meaning: 'A request with this `Idempotency-Key` is still under way',
    remedy: 'Send the same request again in a moment',
  },
  idempotency_mismatch: {
    meaning: 'This `Idempotency-Key` was used for another request',
    remedy: 'Take a new key for a new request',
  },
  payload_too_large: { meaning: 'The request is larger than allowed', remedy: 'Split it into several' },
  unsupported_media_type: {
    meaning: 'The body is of another type',
    remedy: 'Send the `Content-Type` named in `detail`',
  },
  rate_limited: { meaning: 'Too many requests', remedy: 'Wait as long as `Retry-After` says' },
  dependency_unavailable: {
    meaning: 'Postgres, Weaviate, the embedder or the disk is not available',
    remedy: 'Try again after `Retry-After`; the operator sees which in `/readyz`',
  },
  internal: {
    meaning: 'Something unforeseen happened',
    remedy: 'Try again; if it stays, the log has the cause under the `request_id` or workflow id',
  },
  empty_file: { meaning: 'The file has no bytes', remedy: 'Send a file with content' },
  file_too_large: { meaning: 'The file is larger than allowed', remedy: 'Split it, or raise `LOCI_MAX_FILE_BYTES`' },
  invalid_name: { meaning: 'The file name cannot be used', remedy: 'Rename the file' },
  invalid_url: { meaning: 'Not an http or https URL', remedy: 'Send a whole URL without user name and password' },
  too_many_items: { meaning: 'More items than one request may have', remedy: 'Send the rest in another request' },
  unsupported_type: { meaning: 'No reader reads this type of file', remedy: 'Convert the file, or use `ingest=false`' },
  type_mismatch: { meaning: 'The reader asked for does not read this type', remedy: 'Use the reader `native`' },
  unknown_reader: { meaning: 'There is no reader of this name', remedy: 'Use one of the readers listed' },
  unreadable: { meaning: 'The file is damaged or not of its type', remedy: 'Save it anew and upload it again' },
  encrypted: { meaning: 'The file is protected by a password', remedy: 'Remove the protection, upload it again' },
  archive_limit: {
    meaning: 'The archive holds more, or is nested deeper, than is unpacked',
    remedy: 'Split it or upload the files themselves, or raise the `LOCI_ARCHIVE_` limits',
  },
  no_text: { meaning: 'The file holds no text', remedy: 'Upload one with text in it, or a sharper scan' },
  read_timeout: { meaning: 'Reading took too long', remedy: 'Split the file, or raise `LOCI_READER_TIMEOUT_S`' },
  read_memory_limit: {
    meaning: 'Reading needed too much memory',
    remedy: 'Split the file, or raise `LOCI_READER_MEMORY_BYTES`',
  },
  read_output_limit: { meaning: 'The file unpacks to too much', remedy: 'Split it, or raise `LOCI_MAX_TEXT_BYTES`' },
  reader_crashed: { meaning: 'The reader crashed on the file, twice', remedy: 'Save it anew and upload it again' },
  reader_unavailable: {
    meaning: 'The server that the reader needs is not configured or does not answer',
    remedy: 'Use the reader `native`, or retry later; the operator sets `LOCI_UNSTRUCTURED_URL`',
  },
  download_refused: {
    meaning: 'The URL leads to an address that may not be reached',
    remedy: 'Use a public URL, or allow the network with `LOCI_EGRESS_ALLOW`',
  },
  download_failed: { meaning: 'The server of the URL could not be reached, or failed', remedy: 'Retry later' },
  download_rejected: { meaning: 'The server of the URL refused', remedy: 'Check the URL and whether it is public' },
  download_too_large: {
    meaning: 'The download is larger than allowed',
    remedy: 'Upload a smaller file, or raise `LOCI_MAX_DOWNLOAD_BYTES`',
  },
  download_timeout: { meaning: 'The server of the URL was too slow', remedy: 'Retry, or upload the file itself' },
  crawl_refused: {
    meaning: 'The site does not want this page crawled',
    remedy: 'Ask its owner, or upload the URL without `crawl`',
  },
  embedding_rejected: {
    meaning: 'The embedding server refused the text',
    remedy: 'Check model and dimensions with the embedding server, then retry',
  },
  embedder_unavailable: {
    meaning: 'The embedder of the collection is not configured',
    remedy: 'Configure it on API and worker, then retry',
  },
  blob_missing: { meaning: 'The stored file is gone', remedy: 'Upload it again' },
  superseded: { meaning: 'A newer upload took its place', remedy: 'Nothing: the newer one counts' },
  terminated: { meaning: 'An operator ended the workflow', remedy: 'Retry the content to start again' },
  repeated_crash: { meaning: 'Two workers died with this content', remedy: 'Check the file, then retry' },
};

/** The meaning of a code as rows and histories hold it; one that is not known is shown as an unforeseen error. */
export function meaningOf(code: string): ErrorMeaning {
  return isErrorCode(code) ? ERROR_MEANINGS[code] : ERROR_MEANINGS.internal;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_MEANINGS, code);
}
