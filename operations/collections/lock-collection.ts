import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Stores } from '#store/stores.ts';
import { collectionNotFound } from './get-collection.ts';

/** Locks a collection for the transaction. @throws AppError `not_found`. */
export async function lockCollection(stores: Stores, caller: Caller, id: string): Promise<'active' | 'archived'> {
  const status = await stores.collectionChanges.lock(caller.scope, id);
  if (status === null) throw collectionNotFound();
  return status;
}

/** Locks a collection that may be changed. @throws AppError `not_found`; `conflict` for one that is archived. */
export async function lockWritableCollection(stores: Stores, caller: Caller, id: string): Promise<void> {
  if ((await lockCollection(stores, caller, id)) === 'archived') throw archived();
}

/** What every change of an archived collection and of its contents is answered with. */
export function archived(): AppError {
  return new AppError('conflict', 'The collection is archived: it can be read, not changed. Unarchive it first.');
}
