import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { CollectionList, ListCollectionsQuery } from '#domain/records/collection.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';

/** A page of the collections in reach, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
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
    limit: query.limit,
    binding,
    positionOf: (row) => [row.createdUs, row.collection.id],
  });
  return {
    data: page.map((row) => row.collection),
    total_count: totalCount,
    ...next,
  };
}
