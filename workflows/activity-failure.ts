import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { ErrorCode } from '#domain/app-error.ts';
import { isErrorCode } from '#domain/error-meanings.ts';

/** Returns the code and message of an activity that failed for good. Rethrows cancellations and all other errors. */
export function activityFailureOf(error: unknown): { code: ErrorCode; message: string } {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const type = error.cause instanceof ApplicationFailure ? (error.cause.type ?? '') : '';
  return { code: isErrorCode(type) ? type : 'internal', message: error.cause?.message ?? error.message };
}
