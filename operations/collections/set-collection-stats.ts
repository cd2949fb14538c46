import type { Caller } from '#domain/access/caller.ts';
import type { Collection } from '#domain/records/collection.ts';
import { getCollection } from './get-collection.ts';
import { lockWritableCollection } from './lock-collection.ts';
import type { Services } from '#operations/services.ts';

/**
 * Replaces what a client keeps in the statistics of a collection. Keys that the service computes are shown as computed,
 * whatever is sent.
 * @throws AppError `not_found`, `conflict` when it is archived.
 */
export async function setCollectionStats(
  services: Services,
  caller: Caller,
  change: { id: string; stats: Record<string, unknown> },
): Promise<Collection> {
  return services.stores.transaction(async (stores) => {
    await lockWritableCollection(stores, caller, change.id);
    await stores.collectionChanges.setStats(caller.scope, change.id, change.stats);
    return getCollection({ ...services, stores }, caller, change.id);
  });
}
