import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { Collection, CollectionList } from '#domain/records/collection.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';

/** Returns a collection with its computed statistics. @throws AppError `not_found`. */
export async function getCollection(services: Services, caller: Caller, id: string): Promise<Collection> {
  const found = await services.stores.collections.find(caller.scope, id);
  if (!found) throw collectionNotFound();
  return found.collection;
}

/** The error for collections that do not exist or are outside the scope; it does not tell which. */
export function collectionNotFound(): AppError {
  return new AppError('not_found', 'The collection does not exist, or your credentials do not give access to it.');
}

type ListCollectionsQuery = {
  status?: string | undefined;
  visibility?: string | undefined;
  tag?: string | undefined;
  parent_id?: string | undefined;
  search?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Returns a page of the collections in scope, oldest first. @throws AppError `validation_failed` for a cursor of another
 * list.
 */
export async function listCollections(
  services: Services,
  caller: Caller,
  query: ListCollectionsQuery,
): Promise<CollectionList> {
  const { status, visibility, tag, parent_id: parentId, search } = query;
  const filter = { status, visibility, tag, parentId, search };
  const binding = { list: 'collections', filters: filter };
  const after = decodeTimeCursor(binding, query.cursor);
  const { collections } = services.stores;
  const [rows, totalCount] = await Promise.all([
    collections.list(caller.scope, filter, { after, limit: query.limit }),
    collections.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.collection.id],
  });
  return {
    data: page.map((row) => row.collection),
    total_count: totalCount,
    ...next,
  };
}
