/**
 * Every error code that a client can see, in error bodies, in the `errors` of an upload and in the failure of a content.
 * The codes of this group are the outcome of a request (`api/http/response/error-status.ts` maps them to statuses); those of
 * `ItemErrorCode` are the failure of one item, which does not affect the other items.
 */
const REQUEST_ERROR_CODES = [
  'invalid_request',
  'validation_failed',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'idempotency_conflict',
  'idempotency_mismatch',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'dependency_unavailable',
  'internal',
] as const;
export type RequestErrorCode = (typeof REQUEST_ERROR_CODES)[number];

const ITEM_ERROR_CODES = [
  'empty_file',
  'file_too_large',
  'invalid_name',
  'invalid_url',
  'too_many_items',
  'unsupported_type',
  'type_mismatch',
  'unknown_reader',
  'unreadable',
  'encrypted',
  'archive_limit',
  'no_text',
  'read_timeout',
  'read_memory_limit',
  'read_output_limit',
  'reader_crashed',
  'reader_unavailable',
  'download_refused',
  'download_failed',
  'download_rejected',
  'download_too_large',
  'download_timeout',
  'crawl_refused',
  'metadata_too_large',
  'embedding_rejected',
  'embedder_unavailable',
  'blob_missing',
  'superseded',
  'terminated',
  'repeated_crash',
] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export const ERROR_CODES = [...REQUEST_ERROR_CODES, ...ITEM_ERROR_CODES] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One problem of a request, in the shape that the interface defines. `loc` contains strings only. */
export type ValidationIssue = { loc: string[]; msg: string; type: string };

export type AppErrorOptions = {
  cause?: unknown;
  /** For `validation_failed`: every problem that was found, without the input itself. */
  issues?: readonly ValidationIssue[];
  /** Seconds to wait before a retry; becomes `Retry-After`. */
  retryAfterS?: number;
  /**
   * Seconds that the next attempt must wait, where they are known: a server asked for them, or its circuit is open. Then they are
   * also `retryAfterS`, which may otherwise be a guess.
   */
  retryDelayS?: number | null;
};

/** The only error type for expected failures. `message` is shown to the client: it says what is wrong and what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly ValidationIssue[];
  readonly retryAfterS: number | null;
  readonly retryDelayS: number | null;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = options.issues ?? [];
    this.retryDelayS = options.retryDelayS ?? null;
    this.retryAfterS = this.retryDelayS ?? options.retryAfterS ?? null;
  }
}

/** Returns a `validation_failed` error with these problems. */
export function validationError(issues: readonly ValidationIssue[]): AppError {
  const first = issues[0];
  return new AppError('validation_failed', first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is invalid.', {
    issues,
  });
}

/** Fails to compile when a switch does not handle every member of a union. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
