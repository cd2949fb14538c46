import type { Caller } from '#domain/access/caller.ts';
import type { Collection } from '#domain/records/collection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { getCollection } from './get-collection.ts';
import { lockCollection } from './lock-collection.ts';
import type { Services } from '#operations/services.ts';

export type Archiving = { id: string; action: 'archive' | 'unarchive'; idempotency: Idempotency | null };

/**
 * Makes a collection read-only, or writable again. What is under way in it is finished all the same. One that is there
 * already stays as it is.
 * @throws AppError `not_found`.
 */
export async function archiveCollection(
  services: Services,
  caller: Caller,
  { id, action, idempotency }: Archiving,
): Promise<Answer<Collection>> {
  const wanted = action === 'archive' ? 'archived' : 'active';
  return withIdempotency(services, caller, {
    route: `POST /collections/{collection_id}/${action}`,
    idempotency,
    effect: async (stores) => {
      const status = await lockCollection(stores, caller, id);
      if (status !== wanted) await stores.collectionChanges.setStatus(caller.scope, id, wanted);
      return { status: 200, body: await getCollection({ ...services, stores }, caller, id) };
    },
  });
}
