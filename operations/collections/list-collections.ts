import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor, encodeCursor } from '#domain/cursor.ts';
import type { CollectionList, ListCollectionsQuery } from '#domain/records/collection.ts';
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
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    data: page.map((row) => row.collection),
    total_count: totalCount,
    next_cursor: last ? encodeCursor(binding, [last.createdUs, last.collection.id]) : null,
    has_more: last !== undefined,
  };
}
