import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { AppError } from '#domain/app-error.ts';

/** Unexpected errors of an activity; with the last one it fails for good. */
const MAX_UNEXPECTED_ERRORS = 5;

/** Transient Postgres error classes: connection, resources, operator intervention, serialization, system. */
const TRANSIENT_SQLSTATE = /^(08|53|57|40|55|58)/;
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EMFILE',
  'ENOSPC',
]);

/** Whether an error is a transient failure of the infrastructure. Activities are retried without limit after such errors. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'dependency_unavailable';
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (TRANSIENT_CODES.has(code) || (/^[0-9A-Z]{5}$/.test(code) && TRANSIENT_SQLSTATE.test(code))) return true;
  return (
    error.name === 'KnexTimeoutError' ||
    /Connection terminated|connection is closed|Query read timeout/i.test(error.message)
  );
}

/** Whether an activity ended because its worker stops, or because its workflow has given it up. */
export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof Error && error.name === 'AbortError');
}

/** What users and workflow histories are told of an error. */
export function publicMessageOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'An unexpected error; the worker log has the details.';
}

/** Whether a failed download is worth another attempt. */
export function isWorthAnotherDownload(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'download_failed' || error.code === 'download_timeout');
}

/**
 * Returns the failure that the workflow history records: code and message, but never the cause, which may contain bytes of a
 * document or a response. Transient errors are retried without limit, all others a few times. `unexpected`: how many of those the
 * activity has had, with this one.
 */
export function toActivityFailure(error: unknown, unexpected: number): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const code = error instanceof AppError ? error.code : 'internal';
  if (isPassing(error)) {
    const text = error instanceof AppError ? error.message : 'The database does not answer.';
    const seconds = error instanceof AppError ? error.retryDelayS : null;
    return ApplicationFailure.create({
      type: 'dependency_unavailable',
      message: text,
      nonRetryable: false,
      // A server that said when to come back is asked then; otherwise the retry policy of the workflow decides.
      ...(seconds === null ? {} : { nextRetryDelay: seconds * 1_000 }),
    });
  }
  const message = publicMessageOf(error);
  return ApplicationFailure.create({ type: code, message, nonRetryable: unexpected >= MAX_UNEXPECTED_ERRORS });
}
