import type { Context, Next } from 'koa';
import { AppError, type ErrorCode, type ValidationIssue } from '#domain/app-error.ts';
import type { Log } from '#observability/log.ts';
import { currentTrace } from '#observability/current-trace.ts';
import type { ErrorBody, ValidationErrorBody } from './error-body.ts';
import { errorStatus, type HttpErrorCode } from './error-status.ts';
import { CLIENT_CLOSED_REQUEST, ClientClosedRequest, HttpError } from './http-error.ts';
import { requestState, type RequestState } from '#api/http/request/request-state.ts';
import { truncatedName } from '#api/http/request/validation.ts';

/** `Retry-After` in seconds where the error has none of its own. */
const DEFAULT_RETRY_AFTER_S = 5;
/** Bounds the response: a request can consist of nothing but problems. */
const MAX_SHOWN_ISSUES = 500;
const INTERNAL_MESSAGE = 'An internal error occurred. Try again; if it persists, give the request_id to the operator.';

/**
 * Middleware that turns every error thrown below it into a response: the status of its code with
 * `{code, detail, request_id}`, with `trace_id` where it is traced, or `{detail: [...]}` for validation. An unexpected error becomes a 500 without details and
 * is logged in full.
 */
export function answerErrors(log: Log) {
  return async (context: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (context.status >= 400 && context.body === undefined) throw routerError(context);
    } catch (error) {
      if (error instanceof ClientClosedRequest) {
        requestState(context).errorCode = 'client_closed_request';
        context.status = CLIENT_CLOSED_REQUEST;
        context.body = null;
        return;
      }
      sendError(context, error, log);
    }
  };
}

/** The body of an error that comes after the status was sent: the last event of a stream. It is logged like any other. */
export function lateErrorBody(context: Context, error: unknown, log: Log): ErrorBody | ValidationErrorBody {
  const { requestId } = requestState(context);
  const code = codeOf(error);
  requestState(context).errorCode = code;
  logFailure(context, error, log);
  return inFormOf(context, bodyOf(error, code, requestId), code);
}

function sendError(context: Context, error: unknown, log: Log): void {
  const state = requestState(context);
  const code = codeOf(error);
  const status = error instanceof AppError && code === 'validation_failed' ? state.validationStatus : errorStatus(code);
  state.errorCode = code;
  context.status = status;
  context.body = inFormOf(context, bodyOf(error, code, state.requestId), code);
  if (status === 401) context.set('WWW-Authenticate', challengeOf(state));
  const named = error instanceof AppError ? error.retryAfterS : null;
  const retryAfterS = named ?? (status === 503 || status === 429 ? DEFAULT_RETRY_AFTER_S : null);
  if (retryAfterS !== null) context.set('Retry-After', String(Math.ceil(retryAfterS)));
  logFailure(context, error, log);
}

/** A client that sent no credentials is told nothing of an error (RFC 6750, section 3.1). */
function challengeOf({ hasCredentials, resourceMetadataUrl: metadata }: RequestState): string {
  return [
    'Bearer realm="loci"',
    ...(hasCredentials ? ['error="invalid_token"'] : []),
    ...(metadata === null ? [] : [`resource_metadata="${metadata}"`]),
  ].join(', ');
}

function logFailure(context: Context, error: unknown, log: Log): void {
  const { requestId, route } = requestState(context);
  const code = codeOf(error);
  const status = errorStatus(code);
  if (status < 500) return;
  const fields = { request_id: requestId, method: context.method, route, status, code, error };
  if (status === 503) log.warn(fields, 'a dependency is unavailable');
  else log.error(fields, 'request failed');
}

function codeOf(error: unknown): ErrorCode | HttpErrorCode {
  return error instanceof AppError || error instanceof HttpError ? error.code : 'internal';
}

function bodyOf(error: unknown, code: ErrorCode | HttpErrorCode, requestId: string): ErrorBody | ValidationErrorBody {
  if (error instanceof AppError && code === 'validation_failed') {
    return { detail: shownIssues(error.issues) };
  }
  const message = code !== 'internal' && error instanceof Error ? error.message : INTERNAL_MESSAGE;
  const trace = currentTrace();
  return { code, detail: message, request_id: requestId, ...(trace === null ? {} : { trace_id: trace.trace_id }) };
}

/** Adds what clients of the OpenAI API read, on routes of its form. */
function inFormOf<Body extends ErrorBody | ValidationErrorBody>(context: Context, body: Body, code: string): Body {
  if (requestState(context).errorForm !== 'openai') return body;
  const { detail } = body;
  const message =
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const type = errorStatus(code as ErrorCode) < 500 ? 'invalid_request_error' : 'server_error';
  return { ...body, error: { message, type, code, param: null } };
}

function shownIssues(issues: readonly ValidationIssue[]): ValidationIssue[] {
  const shown = issues
    .slice(0, MAX_SHOWN_ISSUES)
    .map(({ loc, msg, type }) => ({ loc: loc.map(truncatedName), msg, type }));
  const hidden = issues.length - shown.length;
  if (hidden === 0) return shown;
  return [...shown, { loc: [], msg: `${hidden} more problems are not listed`, type: 'truncated' }];
}

/** Returns the error for a bare status of the router: unknown path, or method that the path does not have. */
function routerError(context: Context): Error {
  if (context.status === 404) {
    const advice = /^\/api\/.*\/$/.test(context.path) ? ' Paths do not end with a slash: an id may be missing.' : '';
    return new AppError('not_found', `There is no such path.${advice} The API is under /api/v1; /docs describes it.`);
  }
  if (context.status === 405 || context.status === 501) {
    const allowed = context.response.get('Allow');
    return new HttpError('method_not_allowed', `This path does not support ${context.method}. It supports ${allowed}.`);
  }
  return new Error(`the router answered ${context.status} without a body`);
}
