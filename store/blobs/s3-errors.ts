import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '#domain/app-error.ts';
import { blobMissing } from './blob-name.ts';

const RETRY_AFTER_S = 5;
const NO_ANSWER = 'The bucket of the server does not answer; try again in a few seconds.';
const NO_BUCKET = 'The bucket of the server does not exist: its operator must create it or correct LOCI_S3_BUCKET.';
const REFUSED =
  'The bucket refuses the server: its operator must check the credentials, their permissions, and the region (LOCI_S3_REGION).';

/** Returns `blob_missing` for an object that does not exist, otherwise `dependency_unavailable` with what is to be done. */
export function s3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isObjectMissing(error)) return blobMissing(error);
  return new AppError('dependency_unavailable', messageFor(error), { cause: error, retryAfterS: RETRY_AFTER_S });
}

/** Like `s3Error`, for a request about the bucket itself, where not found means that there is no bucket. */
export function s3BucketError(error: unknown): AppError {
  const message = statusOf(error) === 404 ? NO_BUCKET : messageFor(error);
  return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: RETRY_AFTER_S });
}

/** True when the bucket says that there is no such object. */
export function isObjectMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';
}

/** True when an object was not written because it exists. */
export function isObjectPresent(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** True for servers that do not know conditional writes. */
export function isUnconditional(error: unknown): boolean {
  return statusOf(error) === 501 || nameOf(error) === 'NotImplemented';
}

/** Whether another attempt may succeed: after a failed connection, an error of the server, or a simultaneous write. */
export function isWorthAnotherAttempt(error: unknown): boolean {
  const status = statusOf(error);
  return status === null
    ? nameOf(error) !== 'CredentialsProviderError'
    : status >= 500 || [408, 409, 429].includes(status);
}

function messageFor(error: unknown): string {
  const name = nameOf(error);
  if (name === 'NoSuchBucket') return NO_BUCKET;
  const status = statusOf(error);
  if (status === 401 || status === 403 || status === 301 || name === 'CredentialsProviderError') return REFUSED;
  if (status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429)
    return `The bucket refused a request with ${name}; its operator must check the settings LOCI_S3_*.`;
  return NO_ANSWER;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The status of the response; null when there was none. */
function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null;
}
