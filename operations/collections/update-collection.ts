import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Collection, UpdateCollectionRequest } from '#domain/records/collection.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { collectionNotFound, getCollection } from './collections.ts';

/**
 * Changes the fields of a collection that are sent.
 * @throws AppError `not_found` for it or its new parent, `conflict` when it is archived, `validation_failed` for a parent
 *   that is the collection itself or lies below it.
 */
export async function updateCollection(
  services: Services,
  caller: Caller,
  update: { id: string; fields: UpdateCollectionRequest },
): Promise<Collection> {
  const { id, fields } = update;
  return services.stores.transaction(async (stores) => {
    // Before any row: whoever changes parents takes this first.
    if (fields.parent_id) await stores.collectionChanges.lockTree(caller.scope);
    await lockWritableCollection(stores, caller, id);
    if (fields.parent_id) await requireParent(stores, caller, { id, parentId: fields.parent_id });
    if (Object.keys(fields).length > 0) await stores.collectionChanges.update(caller.scope, id, fields);
    return getCollection({ ...services, stores }, caller, id);
  });
}

type Archiving = { id: string; action: 'archive' | 'unarchive'; idempotency: Idempotency | null };

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

/** Locks a collection for the transaction. @throws AppError `not_found`. */
async function lockCollection(stores: Stores, caller: Caller, id: string): Promise<'active' | 'archived'> {
  const status = await stores.collectionChanges.lock(caller.scope, id);
  if (status === null) throw collectionNotFound();
  return status;
}

/** Locks a collection that may be changed. @throws AppError `not_found`; `conflict` for one that is archived. */
async function lockWritableCollection(stores: Stores, caller: Caller, id: string): Promise<void> {
  if ((await lockCollection(stores, caller, id)) === 'archived') throw collectionArchived();
}

/** What every change of an archived collection and of its contents is answered with. */
export function collectionArchived(): AppError {
  return new AppError('conflict', 'The collection is archived: it can be read, not changed. Unarchive it first.');
}

async function requireParent(stores: Stores, caller: Caller, link: { id: string; parentId: string }): Promise<void> {
  if (!(await stores.collections.findIndex(caller.scope, link.parentId))) throw parentNotFound();
  if (await stores.collectionChanges.isSameOrDescendant(caller.scope, link.id, link.parentId)) {
    const msg = 'is the collection itself or lies below it';
    throw validationError([{ loc: ['body', 'parent_id'], msg, type: 'parent_cycle' }]);
  }
}

export function parentNotFound(): AppError {
  return new AppError(
    'not_found',
    'There is no collection with the id given as parent_id, or this key does not reach it.',
  );
}
