import { query, type Database } from '#store/postgres.ts';

/**
 * Holds every run of contents, in all their collections, for the transaction. Runs are held before contents and in the order of
 * `(content_id, collection_id)` by everybody, so that nobody waits in a ring.
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
 * Lets the removals of one content from several collections take turns, after each has removed its link and before it looks for
 * others: two of them at once would each see the link that the other is removing, and nobody would remove the content.
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
