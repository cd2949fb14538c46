import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Collection, UpdateCollectionRequest } from '#domain/records/collection.ts';
import type { Stores } from '#store/stores.ts';
import { getCollection } from './get-collection.ts';
import { lockWritableCollection } from './lock-collection.ts';
import type { Services } from '#operations/services.ts';

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

async function requireParent(stores: Stores, caller: Caller, link: { id: string; parentId: string }): Promise<void> {
  if (!(await stores.collections.findIndex(caller.scope, link.parentId))) throw parentNotFound();
  if (await stores.collectionChanges.isWithin(caller.scope, link.id, link.parentId)) {
    const msg = 'is the collection itself or lies below it';
    throw validationError([{ loc: ['body', 'parent_id'], msg, type: 'parent_cycle' }]);
  }
}

function parentNotFound(): AppError {
  return new AppError(
    'not_found',
    'There is no collection with the id given as parent_id, or this key does not reach it.',
  );
}
