import type { Caller } from '#domain/access/caller.ts';
import type { ReembeddingList } from '#domain/records/reindexing.ts';
import { REEMBEDDING_STATUSES, type ReembeddingStatus } from '#domain/statuses.ts';
import { listNewest, type NewestQuery } from '#operations/list-newest.ts';
import type { Services } from '#operations/services.ts';

export type ListReembeddingsQuery = NewestQuery & {
  collection_id?: string | undefined;
  status?: ReembeddingStatus | undefined;
};

/**
 * Returns a page of the changes of embedders of the collections that the caller reaches, newest first.
 * @throws AppError `validation_failed` for a foreign cursor.
 */
export async function listReembeddings(
  { stores }: Services,
  { scope }: Caller,
  { collection_id: collectionId, status, ...query }: ListReembeddingsQuery,
): Promise<ReembeddingList> {
  const binding = { list: 'reembeddings', filters: { collectionId, status } };
  const statuses = status === undefined ? REEMBEDDING_STATUSES : [status];
  const { page, next } = await listNewest(query, binding, async (asked) =>
    stores.reembeddings.list(scope, { collectionId, statuses, page: asked }),
  );
  return { data: page.map(({ record }) => record), ...next };
}
