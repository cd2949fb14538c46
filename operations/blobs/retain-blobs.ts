import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { RetainedBlob } from '#store/blobs/blob-rows.ts';
import type { Services } from '#operations/services.ts';

/** A stored file that was not registered before. */
export type RegisteredBlob = RetainedBlob;

/**
 * Inserts rows for stored files before anything refers to them, so that the sweeper finds files that nothing ever refers to:
 * those of a rejected item or an aborted request.
 */
export async function registerBlobs(
  services: Services,
  caller: Caller,
  stored: readonly StoredBlob[],
): Promise<RegisteredBlob[]> {
  return services.stores.blobRows.retain(caller.scope, stored);
}

/**
 * Deletes files of a request that were registered and that nothing refers to now, because the request, or their item, was refused.
 * What fails here is left to the sweeper.
 */
export async function discardBlobs(
  services: Services,
  caller: Caller,
  registered: readonly RegisteredBlob[],
): Promise<void> {
  if (registered.length === 0) return;
  const { workspaceId } = caller.scope;
  try {
    await services.stores.blobRows.discard(caller.scope, registered, (sha256) =>
      services.blobs.delete(workspaceId, sha256),
    );
  } catch (error) {
    services.log.warn({ error }, 'files of a refused upload could not be removed; they are removed in a day');
  }
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
