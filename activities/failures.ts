import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { AppError } from '#domain/app-error.ts';

/** How often a step may fail in a way nobody foresaw before it counts as a defect and ends. */
const MAX_UNFORESEEN_ATTEMPTS = 5;

/** Postgres error classes that pass: connection, resources, operator intervention, serialization, system. */
const PASSING_SQLSTATE = /^(08|53|57|40|55|58)/;
const PASSING_CODES: ReadonlySet<string> = new Set([
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

/** True when the error is the infrastructure's and goes away by itself; then the step is retried without limit. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'dependency_unavailable';
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (PASSING_CODES.has(code) || (/^[0-9A-Z]{5}$/.test(code) && PASSING_SQLSTATE.test(code))) return true;
  return error.name === 'KnexTimeoutError' || /Connection terminated|connection is closed/i.test(error.message);
}

/** Failures of downloads that may go better another time. */
export function isWorthAnotherDownload(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'download_failed' || error.code === 'download_timeout');
}

/**
 * The failure that goes into the workflow's history: code and message, never a cause, which may carry bytes of a document
 * or of an answer. Passing errors are retried without limit, unforeseen ones a few times.
 */
export function toActivityFailure(error: unknown, attempt: number): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const code = error instanceof AppError ? error.code : 'internal';
  const message = error instanceof AppError ? error.message : 'An unexpected error; the worker log has the details.';
  if (isPassing(error)) {
    const text = error instanceof AppError ? error.message : 'The database does not answer.';
    return ApplicationFailure.create({ type: 'dependency_unavailable', message: text, nonRetryable: false });
  }
  return ApplicationFailure.create({ type: code, message, nonRetryable: attempt >= MAX_UNFORESEEN_ATTEMPTS });
}
