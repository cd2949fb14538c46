import type { Context } from 'koa';
import { AppError, type ValidationIssue } from '#domain/app-error.ts';
import type { Log } from '#observability/log.ts';
import { lateErrorBody } from '#api/http/response/answer-errors.ts';
import { requestState } from '#api/http/request/request-state.ts';

export type ToolErrorBody = {
  code: string;
  detail: string | ValidationIssue[];
  request_id: string;
  trace_id?: string | undefined;
  retry_after_s?: number;
};

/** A model mends a few mistakes at a time, and pays for the words about each. */
const MAX_SHOWN_ISSUES = 20;

/** The body of an error of a tool: that of the API, always with its code. The error is logged like any other. */
export function toolErrorBody(context: Context, error: unknown, log: Log): ToolErrorBody {
  const body = lateErrorBody(context, error, log);
  const retryAfterS = error instanceof AppError ? error.retryAfterS : null;
  const hint = retryAfterS === null ? {} : { retry_after_s: Math.ceil(retryAfterS) };
  if ('code' in body) return { ...body, ...hint };
  const { requestId } = requestState(context);
  return { code: 'validation_failed', detail: shownIssues(body.detail), request_id: requestId, ...hint };
}

function shownIssues(issues: readonly ValidationIssue[]): ValidationIssue[] {
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(ofArguments);
  const hidden = issues.length - shown.length;
  if (hidden === 0) return shown;
  return [...shown, { loc: [], msg: `${hidden} more problems are not listed`, type: 'truncated' }];
}

/** Operations name the parts of a REST request; a tool has arguments only. */
function ofArguments(issue: ValidationIssue): ValidationIssue {
  const [part = '', ...path] = issue.loc;
  return ['body', 'query', 'path'].includes(part) ? { ...issue, loc: ['arguments', ...path] } : issue;
}
