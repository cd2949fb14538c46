import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Collection, UpdateCollectionRequest } from '#domain/records/collection.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { collectionNotFound, getCollection } from './collections.ts';

/**
 * Updates the fields of a collection that are set.
 * @throws AppError `not_found` for the collection or its new parent; `conflict` when it is archived; `validation_failed` when the
 *   parent is the collection itself or one of its descendants.
 */
export async function updateCollection(
  services: Services,
  caller: Caller,
  update: { id: string; fields: UpdateCollectionRequest },
): Promise<Collection> {
  const { id, fields } = update;
  return services.stores.transaction(async (stores) => {
    // Lock order: the tree before any row, as every change of parents does.
    if (fields.parent_id) await stores.collectionChanges.lockTree(caller.scope);
    await lockWritableCollection(stores, caller, id);
    if (fields.parent_id) await requireParent(stores, caller, { id, parentId: fields.parent_id });
    if (Object.keys(fields).length > 0) await stores.collectionChanges.update(caller.scope, id, fields);
    return getCollection({ ...services, stores }, caller, id);
  });
}

type Archiving = { id: string; action: 'archive' | 'unarchive'; idempotency: Idempotency | null };

/**
 * Archives a collection, which makes it read-only, or unarchives it. Ingestion that is running is completed. Requesting the
 * current state changes nothing.
 * @throws AppError `not_found`.
 */
export async function archiveCollection(
  services: Services,
  caller: Caller,
  { id, action, idempotency }: Archiving,
): Promise<Answer<Collection>> {
  const targetStatus = action === 'archive' ? 'archived' : 'active';
  return withIdempotency(services, caller, {
    route: `POST /collections/{collection_id}/${action}`,
    idempotency,
    effect: async (stores) => {
      const status = await lockCollection(stores, caller, id);
      if (status !== targetStatus) await stores.collectionChanges.setStatus(caller.scope, id, targetStatus);
      return { status: 200, body: await getCollection({ ...services, stores }, caller, id) };
    },
  });
}

/**
 * Replaces the statistics that clients store for a collection. Keys that the service computes always have the computed values.
 * Repeated with its idempotency key, it overwrites no change in between.
 * @throws AppError `not_found`; `conflict` when it is archived.
 */
export async function setCollectionStats(
  services: Services,
  caller: Caller,
  { id, stats, idempotency }: { id: string; stats: Record<string, unknown>; idempotency: Idempotency | null },
): Promise<Answer<Collection>> {
  return withIdempotency(services, caller, {
    route: 'PUT /collections/{collection_id}/stats',
    idempotency,
    effect: async (stores) => {
      await lockWritableCollection(stores, caller, id);
      await stores.collectionChanges.setStats(caller.scope, id, stats);
      return { status: 200, body: await getCollection({ ...services, stores }, caller, id) };
    },
  });
}

/** Locks a collection until the transaction ends and returns its status. @throws AppError `not_found`. */
async function lockCollection(stores: Stores, caller: Caller, id: string): Promise<'active' | 'archived'> {
  const status = await stores.collectionChanges.lock(caller.scope, id);
  if (status === null) throw collectionNotFound();
  return status;
}

/** Locks a collection in order to change it. @throws AppError `not_found`; `conflict` when it is archived. */
async function lockWritableCollection(stores: Stores, caller: Caller, id: string): Promise<void> {
  if ((await lockCollection(stores, caller, id)) === 'archived') throw collectionArchived();
}

/** The error for changes of an archived collection and its contents. */
export function collectionArchived(): AppError {
  return new AppError('conflict', 'The collection is archived and cannot be changed. Unarchive it first.');
}

async function requireParent(stores: Stores, caller: Caller, link: { id: string; parentId: string }): Promise<void> {
  if (!(await stores.collections.findIndex(caller.scope, link.parentId))) throw parentNotFound();
  if (await stores.collectionChanges.isSameOrDescendant(caller.scope, link.id, link.parentId)) {
    const msg = 'is the collection itself or one of its descendants';
    throw validationError([{ loc: ['body', 'parent_id'], msg, type: 'parent_cycle' }]);
  }
}

export function parentNotFound(): AppError {
  return new AppError(
    'not_found',
    'The collection in parent_id does not exist, or your credentials do not give access to it.',
  );
}
