import type { StoredBlob } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';

/**
 * Makes stored bytes known before anything refers to them, so that those which nothing will ever refer to (a refused item,
 * a request that broke off) are found and swept.
 */
export async function registerBlobs(services: Services, caller: Caller, blobs: readonly StoredBlob[]): Promise<void> {
  await services.stores.blobRows.retain(caller.scope, blobs);
}
