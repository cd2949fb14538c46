import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Protects stored blobs from the sweeper until the transaction refers to them. Only rows are locked: the bytes were stored after
 * them.
 * @throws AppError `dependency_unavailable` when one has been removed since it was stored; it must be stored again.
 */
export async function retainBlobs(
  { stores }: Pick<Services, 'stores'>,
  scope: Scope,
  stored: readonly StoredBlob[],
): Promise<void> {
  const hashes = stored.map((blob) => blob.sha256);
  if (await stores.blobRows.retain(scope, hashes)) return;
  const message = 'A file was cleaned up just as it was stored; try again.';
  throw new AppError('dependency_unavailable', message, { retryAfterS: 1 });
}
