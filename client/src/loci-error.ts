/** One problem of an invalid request. */
export type LociIssue = { loc: string[]; msg: string; type: string };

export type LociErrorFields = {
  status: number | null;
  code: string;
  requestId?: string | null;
  issues?: readonly LociIssue[];
  retryAfterMs?: number | null;
  cause?: unknown;
};

/**
 * The one error of this client: what the service answered, or why it could not be asked. `message` and `detail` are for
 * people and say what to do; programs go by `code`.
 */
export class LociError extends Error {
  /** HTTP status, or null where there was no answer: `code` is `unreachable` then, or `unreadable_file`. */
  readonly status: number | null;
  /** Of the service (`not_found`, `rate_limited` …), `validation_failed` for invalid requests, else `http_<status>`. */
  readonly code: string;
  readonly detail: string;
  /** Finds the request in the logs of the service. */
  readonly requestId: string | null;
  /** Every problem of an invalid request. */
  readonly issues: readonly LociIssue[];
  /** How long the service wants to be left alone, when it said so. */
  readonly retryAfterMs: number | null;

  constructor(detail: string, fields: LociErrorFields) {
    super(detail, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'LociError';
    this.status = fields.status;
    this.code = fields.code;
    this.detail = detail;
    this.requestId = fields.requestId ?? null;
    this.issues = fields.issues ?? [];
    this.retryAfterMs = fields.retryAfterMs ?? null;
  }
}

/** The error that an answer with a status of 300 or more stands for. `body` is its parsed JSON, or its text. */
export function errorOfAnswer(response: Response, body: unknown): LociError {
  const { status, headers } = response;
  const issues = issuesOf(body);
  const told = textField(body, 'detail') ?? textField(body, 'message');
  const listed = issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return new LociError(told ?? (listed === '' ? bareStatus(response) : listed), {
    status,
    code: textField(body, 'code') ?? (issues.length > 0 ? 'validation_failed' : `http_${status}`),
    requestId: textField(body, 'request_id') ?? headers.get('X-Request-Id'),
    issues,
    retryAfterMs: retryAfterOf(headers.get('Retry-After')),
  });
}

function bareStatus({ status, headers }: Response): string {
  const location = status < 400 ? headers.get('Location') : null;
  if (location === null) return `The service answered with status ${status}.`;
  return `The service answered with a redirect, which is not followed, to ${location}: give the address it has there.`;
}

/** Milliseconds of a `Retry-After` header, in seconds or as a date; null without one. */
export function retryAfterOf(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function textField(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : null;
}

function issuesOf(body: unknown): LociIssue[] {
  if (typeof body !== 'object' || body === null) return [];
  const detail: unknown = Reflect.get(body, 'detail');
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((issue: unknown) => {
    if (typeof issue !== 'object' || issue === null) return [];
    const loc: unknown = Reflect.get(issue, 'loc');
    const path = Array.isArray(loc) ? loc.map(String) : [];
    return [{ loc: path, msg: textField(issue, 'msg') ?? '', type: textField(issue, 'type') ?? '' }];
  });
}
