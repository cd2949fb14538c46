import { query, type Database } from './postgres.ts';

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
