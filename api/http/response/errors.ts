import type { Context, Next } from 'koa';
import { AppError, type ErrorCode, type ValidationIssue } from '#domain/app-error.ts';
import type { Log } from '#observability/log.ts';
import type { ErrorBody, ValidationErrorBody } from './error-body.ts';
import { statusOf, type HttpErrorCode } from './error-status.ts';
import { CLIENT_CLOSED_REQUEST, ClientGone, HttpError } from './http-error.ts';
import { requestState } from '#api/http/request/request-state.ts';
import { shownName } from '#api/http/request/validation.ts';

/** Seconds named in `Retry-After` where the error names none. */
const DEFAULT_RETRY_AFTER_S = 5;
/** More problems than anybody reads; a request can be made of nothing else. */
const MAX_SHOWN_ISSUES = 500;
const INTERNAL_MESSAGE = 'Something went wrong inside Loci. Try again; if it stays, tell the operator the request_id.';

/**
 * Turns everything thrown below into an answer: the status of its code with `{code, detail, request_id}`, or
 * `{detail: [...]}` for validation. What nobody threw on purpose becomes a bare 500 and is logged whole.
 */
export function answerErrors(log: Log) {
  return async (context: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (context.status >= 400 && context.body === undefined) throw unhandledStatus(context);
    } catch (error) {
      if (error instanceof ClientGone) {
        requestState(context).errorCode = 'client_closed_request';
        context.status = CLIENT_CLOSED_REQUEST;
        context.body = null;
        return;
      }
      answer(context, error, log);
    }
  };
}

function answer(context: Context, error: unknown, log: Log): void {
  const state = requestState(context);
  const code = codeOf(error);
  const status = error instanceof AppError && code === 'validation_failed' ? state.validationStatus : statusOf(code);
  state.errorCode = code;
  context.status = status;
  context.body = bodyOf(error, code, state.requestId);
  if (status === 401) context.set('WWW-Authenticate', 'Bearer realm="loci"');
  const named = error instanceof AppError ? error.retryAfterS : null;
  const retryAfterS = named ?? (status === 503 || status === 429 ? DEFAULT_RETRY_AFTER_S : null);
  if (retryAfterS !== null) context.set('Retry-After', String(Math.ceil(retryAfterS)));
  if (status >= 500) {
    const fields = { request_id: state.requestId, method: context.method, route: state.route, status, code, error };
    if (status === 503) log.warn(fields, 'a dependency is away');
    else log.error(fields, 'request failed');
  }
}

function codeOf(error: unknown): ErrorCode | HttpErrorCode {
  return error instanceof AppError || error instanceof HttpError ? error.code : 'internal';
}

function bodyOf(error: unknown, code: ErrorCode | HttpErrorCode, requestId: string): ErrorBody | ValidationErrorBody {
  if (error instanceof AppError && code === 'validation_failed') {
    return { detail: shownIssues(error.issues) };
  }
  const message = code !== 'internal' && error instanceof Error ? error.message : INTERNAL_MESSAGE;
  return { code, detail: message, request_id: requestId };
}

function shownIssues(issues: readonly ValidationIssue[]): ValidationIssue[] {
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ loc, msg, type }) => ({ loc: loc.map(shownName), msg, type }));
  const hidden = issues.length - shown.length;
  if (hidden === 0) return shown;
  return [...shown, { loc: [], msg: `There are ${hidden} more problems, which are not listed`, type: 'truncated' }];
}

/** What the router says by a bare status: no such path, or not with this method. */
function unhandledStatus(context: Context): Error {
  if (context.status === 404) {
    return new AppError('not_found', 'There is no such path here. The API begins with /api/v1; /docs describes it.');
  }
  if (context.status === 405 || context.status === 501) {
    const allowed = context.response.get('Allow');
    return new HttpError('method_not_allowed', `This path does not take ${context.method}. It takes ${allowed}.`);
  }
  return new Error(`the router answered ${context.status} without a body`);
}
