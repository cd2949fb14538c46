import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { reachesCollection, type Scope } from '#domain/access/scope.ts';
import { hasIdempotentAnswer } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';

/**
 * Checks, before the bytes of an upload are received, that the caller may upload to the collection now. `key`: the idempotency key of
 * the request, with which it may be one that was answered before.
 * @throws AppError `forbidden` when the collection is not accessible or archived.
 */
export async function requireUploadAccess(
  services: Services,
  caller: Caller,
  { collectionId, key }: { collectionId: string; key: string | null },
): Promise<void> {
  requireReach(caller.scope, collectionId);
  const collection = await services.stores.collections.findIndex(caller.scope, collectionId);
  const isActive = collection?.status === 'active';
  if (!isActive && key !== null && (await hasIdempotentAnswer(services, caller, key))) return;
  requireActive(collection);
}

/** @throws AppError `forbidden` when the collection is not accessible or archived. */
export function requireActive<Found extends { status: string }>(collection: Found | null): Found {
  if (collection === null) throw collectionInaccessible();
  if (collection.status === 'active') return collection;
  throw new AppError('forbidden', `The collection is ${collection.status}; nothing can be added to it.`);
}

/** @throws AppError `forbidden` when the credentials do not reach the collection. */
export function requireReach(scope: Scope, collectionId: string): void {
  if (!reachesCollection(scope, collectionId)) throw collectionInaccessible();
}

function collectionInaccessible(): AppError {
  return new AppError('forbidden', 'The collection does not exist or is not accessible with this key.');
}
