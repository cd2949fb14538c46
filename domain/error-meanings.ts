import type { ErrorCode } from './app-error.ts';

/** What an error code means and how to resolve the error. The Temporal UI and `docs/api.md` show the same text. */
export type ErrorMeaning = { meaning: string; remedy: string };

/** Every error code that clients and operators can see. Workflows import this file, so it contains no zod and no I/O. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  invalid_request: { meaning: 'The request cannot be read', remedy: 'Correct the request as `detail` describes' },
  validation_failed: {
    meaning: 'One or more fields of the request are invalid',
    remedy: 'Correct every field listed in `detail`',
  },
  unauthorized: {
    meaning: 'The credentials are missing or invalid',
    remedy: 'Send an active API key that has not expired, as `X-API-Key` or as bearer token',
  },
  forbidden: {
    meaning: 'The key does not allow this',
    remedy: 'Use a key that includes the permission, collection or address named in `detail`',
  },
  not_found: {
    meaning: 'The resource does not exist, or the key does not give access to it',
    remedy: 'Check the id and the key',
  },
  conflict: {
    meaning: 'The current state of the resource does not allow this',
    remedy: 'Read the resource again, then decide',
  },
  idempotency_conflict: {
    meaning: 'A request with this `Idempotency-Key` is still running',
    remedy: 'Send the same request again later',
  },
  idempotency_mismatch: {
    meaning: 'This `Idempotency-Key` was used for a different request',
    remedy: 'Use a new key for each new request',
  },
  payload_too_large: { meaning: 'The request is larger than allowed', remedy: 'Split it into several requests' },
  unsupported_media_type: {
    meaning: 'The body has an unsupported media type',
    remedy: 'Send the `Content-Type` named in `detail`',
  },
  rate_limited: { meaning: 'Too many requests', remedy: 'Wait for the time in `Retry-After`' },
  dependency_unavailable: {
    meaning: 'Something that the service depends on is not available',
    remedy:
      'Try again after `Retry-After`; `detail` says what it is. `/readyz` shows the state of Postgres, Weaviate, Temporal and the blob store',
  },
  internal: {
    meaning: 'An unexpected error occurred',
    remedy: 'Try again; if the error persists, look for the `request_id` or workflow id in the log',
  },
  empty_file: { meaning: 'The file is empty', remedy: 'Send a file with content' },
  file_too_large: { meaning: 'The file is larger than allowed', remedy: 'Split it, or raise `LOCI_MAX_FILE_BYTES`' },
  invalid_name: { meaning: 'The file name is not allowed', remedy: 'Rename the file' },
  invalid_url: {
    meaning: 'The URL is not a valid http or https URL',
    remedy: 'Send a complete URL without user name and password',
  },
  too_many_items: { meaning: 'The request has too many items', remedy: 'Send the remaining items in another request' },
  unsupported_type: {
    meaning: 'No reader supports this file type',
    remedy: 'Convert the file, or store it with `ingest=false`',
  },
  type_mismatch: { meaning: 'The selected reader does not support this file type', remedy: 'Use the reader `native`' },
  unknown_reader: { meaning: 'There is no reader with this name', remedy: 'Use one of the readers listed' },
  unreadable: {
    meaning: 'The file is damaged, or is not of the type it claims',
    remedy: 'Save the file again and upload it again',
  },
  encrypted: {
    meaning: 'The file is protected by a password',
    remedy: 'Remove the password and upload the file again',
  },
  archive_limit: {
    meaning: 'The archive contains too much, or is nested too deep',
    remedy: 'Split it, upload the files themselves, or raise the `LOCI_ARCHIVE_` limits',
  },
  no_text: { meaning: 'The file contains no text', remedy: 'Upload a file that contains text, or a sharper scan' },
  read_timeout: { meaning: 'Reading took too long', remedy: 'Split the file, or raise `LOCI_READER_TIMEOUT_S`' },
  read_memory_limit: {
    meaning: 'Reading needed too much memory',
    remedy: 'Split the file, or raise `LOCI_READER_MEMORY_BYTES`',
  },
  read_output_limit: {
    meaning: 'Reading the file produced too much output',
    remedy: 'Split it, or raise `LOCI_MAX_TEXT_BYTES`',
  },
  reader_crashed: {
    meaning: 'The reader crashed on the file, twice',
    remedy: 'Save the file again and upload it again',
  },
  reader_unavailable: {
    meaning: 'The server that the reader needs is not configured or does not respond',
    remedy: 'Use the reader `native`, or retry later; the operator sets `LOCI_UNSTRUCTURED_URL`',
  },
  download_refused: {
    meaning: 'The URL resolves to an address that is not allowed',
    remedy: 'Use a public URL, or allow the network with `LOCI_EGRESS_ALLOW`',
  },
  download_failed: { meaning: 'The server of the URL is unreachable or reported an error', remedy: 'Retry later' },
  download_rejected: {
    meaning: 'The server of the URL rejected the request',
    remedy: 'Check that the URL is correct and public',
  },
  download_too_large: {
    meaning: 'The download is larger than allowed',
    remedy: 'Upload a smaller file, or raise `LOCI_MAX_DOWNLOAD_BYTES`',
  },
  download_timeout: { meaning: 'The server of the URL was too slow', remedy: 'Retry later, or upload the file itself' },
  crawl_refused: {
    meaning: 'The site does not allow this page to be crawled',
    remedy: 'Ask the owner of the site, or upload the URL without `crawl`',
  },
  metadata_too_large: {
    meaning: 'The metadata is too large for the number of chunks that store it',
    remedy: 'Send less metadata, or split the document',
  },
  embedding_rejected: {
    meaning: 'The embedding server rejected the text',
    remedy: 'Check the model and dimensions of the embedding server, then retry',
  },
  embedder_unavailable: {
    meaning: 'The embedder of the collection is not configured',
    remedy: 'Configure it for API and worker, then retry',
  },
  blob_missing: { meaning: 'The stored file is missing', remedy: 'Upload it again' },
  superseded: { meaning: 'A newer upload replaced this one', remedy: 'Nothing to do: the newer upload is used' },
  terminated: { meaning: 'An operator ended the workflow', remedy: 'Retry the content to ingest it again' },
  repeated_crash: {
    meaning: 'Two workers crashed while they processed this content',
    remedy: 'Check the file, then retry',
  },
};

/** Returns the meaning of a code stored in a row or a workflow history; unknown codes count as `internal`. */
export function errorMeaning(code: string): ErrorMeaning {
  return isErrorCode(code) ? ERROR_MEANINGS[code] : ERROR_MEANINGS.internal;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_MEANINGS, code);
}
