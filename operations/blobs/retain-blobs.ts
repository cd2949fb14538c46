import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Keeps stored bytes from the sweeper: under the locks of these rows it deletes nothing, and afterwards they count as used.
 * @throws AppError `dependency_unavailable` when it took some of them just before; they have to be stored again.
 */
export async function retainBlobs(
  { stores, blobs }: Pick<Services, 'stores' | 'blobs'>,
  scope: Scope,
  stored: readonly StoredBlob[],
): Promise<void> {
  await stores.blobRows.retain(scope, stored);
  const present = await Promise.all(stored.map((blob) => blobs.exists(scope.workspaceId, blob.sha256)));
  if (present.includes(false)) {
    const message = 'A file was cleaned up just as it was stored; try again.';
    throw new AppError('dependency_unavailable', message, { retryAfterS: 1 });
  }
}
