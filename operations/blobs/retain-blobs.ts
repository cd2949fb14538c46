import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Inserts rows for stored files before anything refers to them, so that the sweeper finds files that nothing ever refers to:
 * those of a rejected item or an aborted request.
 */
export async function registerBlobs(services: Services, caller: Caller, stored: readonly StoredBlob[]): Promise<void> {
  await services.stores.blobRows.retain(caller.scope, stored);
}

/**
 * Protects stored files from the sweeper: it cannot delete them while the transaction locks their rows, and afterwards they count
 * as recently used.
 * @throws AppError `dependency_unavailable` when the sweeper has just deleted one of them; the files must be stored again.
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
