import { redactSecrets } from './redact-secrets.ts';

/**
 * The fields that a log line may have besides its message. Any other field is dropped, so that a body, a header, a row or a
 * token that is passed by accident never reaches the log. Values are scalars, except for `error`.
 */
const SCALAR_FIELDS = [
  // process
  'service',
  'component',
  'version',
  'event',
  'pid',
  'port',
  'address',
  'signal',
  // request
  'request_id',
  'method',
  'route',
  'path',
  'status',
  'caller',
  'remote_address',
  // workflow
  'workflow_id',
  'workflow_type',
  'run_id',
  'activity_type',
  'activity_id',
  'task_queue',
  'attempt',
  'stage',
  'step',
  'outcome',
  // data
  'workspace_id',
  'collection_id',
  'content_id',
  'upload_id',
  'chunk_id',
  'deletion_id',
  'job_id',
  'outbox_id',
  'api_key_id',
  'connection_id',
  'conversation_id',
  'delivery_id',
  'source',
  'media_type',
  'reader',
  'embedder',
  'search_type',
  // measures
  'count',
  'total',
  'failed',
  'size_bytes',
  'tokens',
  'duration_ms',
  'delay_ms',
  'code',
  'reason',
] as const;

export type LogScalar = string | number | boolean | null | undefined;
export type LogFields = { [Field in (typeof SCALAR_FIELDS)[number]]?: LogScalar } & { error?: unknown };

const ALLOWED: ReadonlySet<string> = new Set(SCALAR_FIELDS);
const MAX_CAUSES = 5;

/** Returns the allowed fields, redacted. */
export function printableFields(fields: LogFields): Record<string, unknown> {
  const printable: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error') {
      if (value !== undefined) printable['error'] = printableError(value);
    } else if (ALLOWED.has(name) && isScalar(value)) {
      printable[name] = typeof value === 'string' ? redactSecrets(value) : value;
    }
  }
  return printable;
}

/**
 * Returns an error as `{name, code, message, stack, causes}`. Causes have name and code only, because drivers put statements,
 * values and requests with their headers into messages and properties.
 */
function printableError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error, message: 'a value that is not an Error was thrown' };
  const causes = causesOf(error);
  return {
    name: error.name,
    ...(codeOf(error) === null ? {} : { code: codeOf(error) }),
    message: redactSecrets(error.message),
    ...(error.stack === undefined ? {} : { stack: redactSecrets(error.stack) }),
    ...(causes.length === 0 ? {} : { causes }),
  };
}

function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) {
    causes.push([cause.name, codeOf(cause)].filter((part) => part !== null).join(' '));
  }
  return causes;
}

function codeOf(error: Error): string | number | null {
  const code = 'code' in error ? error.code : null;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

function isScalar(value: unknown): value is LogScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
