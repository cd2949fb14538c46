import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { Content } from '#domain/records/content.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';

export type ListContentsQuery = {
  collection_id?: string | undefined;
  status?: string | undefined;
  search?: string | undefined;
  linked_to?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

export type ContentPage = { data: Content[]; total_count: number; next_cursor: string | null; has_more: boolean };

/** A page of the contents in reach, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listContents(services: Services, caller: Caller, query: ListContentsQuery): Promise<ContentPage> {
  const { collection_id: collectionId, status, search, linked_to: linkedTo } = query;
  const filter = { collectionId, status, search, linkedTo };
  const binding = { list: 'contents', filters: filter };
  const after = decodeTimeCursor(binding, query.cursor);
  const { contents } = services.stores;
  const [rows, totalCount] = await Promise.all([
    contents.list(caller.scope, filter, { after, limit: query.limit }),
    contents.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    limit: query.limit,
    binding,
    positionOf: (row) => [row.createdUs, row.content.id],
  });
  return {
    data: page.map((row) => row.content),
    total_count: totalCount,
    ...next,
  };
}
