import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Collection } from '#domain/records/collection.ts';
import type { Services } from '#operations/services.ts';

/** A collection with its computed statistics. @throws AppError `not_found`. */
export async function getCollection(services: Services, caller: Caller, id: string): Promise<Collection> {
  const found = await services.stores.collections.find(caller.scope, id);
  if (!found) throw collectionNotFound();
  return found.collection;
}

/** The same for absent, foreign and unreachable collections. */
export function collectionNotFound(): AppError {
  return new AppError('not_found', 'There is no such collection, or this key does not reach it.');
}
