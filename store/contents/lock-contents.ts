import { query, type Database } from '#store/postgres.ts';

/** True when the scope has no limit, or one of its collections links the content. Ask before locking what may be out of reach. */
export const isReached = (contentId: string) => `(:collectionIds::uuid[] is null or exists (
  select from content_collections reached where reached.content_id = ${contentId}
    and reached.collection_id = any(:collectionIds::uuid[])))`;

/**
 * Locks the runs of contents in all their collections until the transaction ends. To prevent deadlocks, every transaction locks
 * runs before contents, and runs in the order of `(content_id, collection_id)`.
 */
export async function lockRuns(
  transaction: Database,
  workspaceId: string,
  contentIds: readonly string[],
): Promise<void> {
  await query(
    transaction,
    `select from content_collections where workspace_id = :workspaceId and content_id = any(:contentIds::uuid[])
     order by content_id, collection_id for update`,
    { workspaceId, contentIds },
  );
}

/**
 * Serializes removals of one content from several collections. Call it after removing a link and before looking for other links:
 * otherwise two concurrent removals would each still see the link that the other removes, and neither would delete the content.
 */
export async function lockContents(
  transaction: Database,
  workspaceId: string,
  contentIds: readonly string[],
): Promise<void> {
  await query(
    transaction,
    `select id from contents where workspace_id = :workspaceId and id = any(:contentIds::uuid[]) order by id for update`,
    { workspaceId, contentIds },
  );
}
