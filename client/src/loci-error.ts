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
 * The only error that this client throws: an error response of the service, or the reason why it could not be reached.
 * `message` and `detail` are for people and say what to do; programs should use `code`.
 */
export class LociError extends Error {
  /**
   * HTTP status, or null without a response; `code` is then for example `unreachable` or `unreadable_file`. A success, when a web page
   * answered in place of the API: `code` is then `not_the_api`.
   */
  readonly status: number | null;
  /** Code of the service (`not_found` …), `validation_failed` for invalid requests, otherwise `http_<status>`. */
  readonly code: string;
  readonly detail: string;
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | null;
  /** Every problem of an invalid request. */
  readonly issues: readonly LociIssue[];
  /** Time from the `Retry-After` header; null without one. */
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

/** Returns the error for a response with a status of 300 or more. `body` is its parsed JSON, or its text. */
export function errorFromResponse(response: Response, body: unknown): LociError {
  const { status, headers } = response;
  const issues = issuesOf(body);
  const detail = textField(body, 'detail') ?? textField(body, 'message');
  const listed = issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return new LociError(detail ?? (listed === '' ? messageFromStatus(response) : listed), {
    status,
    code: textField(body, 'code') ?? (issues.length > 0 ? 'validation_failed' : `http_${status}`),
    requestId: textField(body, 'request_id') ?? headers.get('X-Request-Id'),
    issues,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After')),
  });
}

/** The query of the address is not shown: it may permit to download a file from a bucket. */
function messageFromStatus({ status, headers, url }: Response): string {
  const location = status < 400 ? headers.get('Location') : null;
  if (location === null) return `The service responded with status ${status}.`;
  const from = url === '' ? undefined : url;
  if (!URL.canParse(location, from)) return 'The service redirects. Redirects are not followed.';
  const { origin, pathname } = new URL(location, from);
  const base = baseOfRedirect(origin + pathname, url);
  const advice = base === null ? '' : `: use ${base} as the base URL`;
  return `The service redirects to ${origin}${pathname}. Redirects are not followed${advice}.`;
}

/** Returns where the whole API is when the same path of it is there. */
function baseOfRedirect(target: string, requested: string): string | null {
  const path = /\/api\/v1\/[^?#]*/.exec(requested)?.[0];
  return path !== undefined && target.endsWith(path) ? target.slice(0, -path.length) : null;
}

/** Returns the milliseconds of a `Retry-After` header (seconds or a date); null without one. */
export function parseRetryAfter(header: string | null): number | null {
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
