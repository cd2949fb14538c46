import { AppError } from '#domain/app-error.ts';
import type { BlobLocation } from '#domain/blob-store.ts';

const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHA256_FORM = /^[0-9a-f]{64}$/;

/**
 * Returns the name of the bytes below the folder or the prefix of a store: `<workspace>/<first two hex digits>/<sha256>.<place>`.
 * Validates every part, so that no name leaves the folder. @throws AppError `internal`.
 */
export function blobName({ workspaceId, sha256, place }: BlobLocation): string {
  if (!UUID_FORM.test(workspaceId)) throw new AppError('internal', 'A blob is addressed by a workspace id, a UUID.');
  if (!SHA256_FORM.test(sha256))
    throw new AppError('internal', 'A blob is addressed by its SHA-256 in lower-case hex.');
  if (place !== null && !UUID_FORM.test(place)) throw new AppError('internal', 'The place of a blob is a UUID.');
  return `${workspaceId}/${sha256.slice(0, 2)}/${sha256}${place === null ? '' : `.${place}`}`;
}

/** The error for bytes that are not where their row says. */
export function blobMissing(cause?: unknown): AppError {
  return new AppError('blob_missing', 'The stored file is gone: upload it again.', { cause });
}
