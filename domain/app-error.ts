/**
 * Every error code a client can see, in error bodies, in the `errors` of an upload and in the failure of a content.
 * The first group names the outcome of a request (`api/http/response/answer-errors.ts` maps it to a status), the second the failure
 * of one item, which never fails its neighbours.
 */
export type RequestErrorCode =
  | 'invalid_request'
  | 'validation_failed'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'idempotency_conflict'
  | 'idempotency_mismatch'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'dependency_unavailable'
  | 'internal';

export type ItemErrorCode =
  | 'empty_file'
  | 'file_too_large'
  | 'invalid_name'
  | 'invalid_url'
  | 'too_many_items'
  | 'unsupported_type'
  | 'type_mismatch'
  | 'unknown_reader'
  | 'unreadable'
  | 'encrypted'
  | 'archive_limit'
  | 'no_text'
  | 'read_timeout'
  | 'read_memory_limit'
  | 'read_output_limit'
  | 'reader_crashed'
  | 'reader_unavailable'
  | 'download_refused'
  | 'download_failed'
  | 'download_rejected'
  | 'download_too_large'
  | 'download_timeout'
  | 'crawl_refused'
  | 'embedding_rejected'
  | 'embedder_unavailable'
  | 'blob_missing'
  | 'superseded'
  | 'terminated'
  | 'repeated_crash';

export type ErrorCode = RequestErrorCode | ItemErrorCode;

/** One problem of a request, in the interface's validation shape. `loc` holds strings only. */
export type ValidationIssue = { loc: string[]; msg: string; type: string };

export type AppErrorOptions = {
  cause?: unknown;
  /** For `validation_failed`: every problem found, never the input itself. */
  issues?: readonly ValidationIssue[];
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  retryAfterS?: number;
};

/** The one error type that is thrown on purpose. `message` is shown to the client and says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly ValidationIssue[];
  readonly retryAfterS: number | null;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = options.issues ?? [];
    this.retryAfterS = options.retryAfterS ?? null;
  }
}

/** A `validation_failed` error with these problems. */
export function validationError(issues: readonly ValidationIssue[]): AppError {
  const first = issues[0];
  return new AppError('validation_failed', first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is invalid.', {
    issues,
  });
}

/** Fails to compile when a union gains a member that a switch does not handle. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
