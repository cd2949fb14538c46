import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** Deletions of conversations that take more than one transaction. Nothing else sees such a conversation. */
export function createConversationDeletions(database: Database) {
  return {
    /** Hides a conversation that is locked. From then on, it is deleted also when the caller does not go on with it. */
    async begin(scope: Scope, id: string): Promise<void> {
      await query(
        database,
        `update conversations set is_deleting = true where id = :id and workspace_id = :workspaceId`,
        {
          workspaceId: scope.workspaceId,
          id,
        },
      );
    },

    /** Locks a conversation that is being deleted until the transaction ends. Returns false when it is gone. */
    async lock(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `select id from conversations where id = :id and workspace_id = :workspaceId and is_deleting for update`,
        { workspaceId: scope.workspaceId, id },
      );
      return row !== null;
    },
  };
}

export type ConversationDeletions = ReturnType<typeof createConversationDeletions>;

/** Returns conversations of any workspaces that are being deleted, in random order: one that fails holds up no others. */
export function listDeletingConversations(
  database: Database,
  limit: number,
): Promise<{ id: string; workspace_id: string }[]> {
  return query(
    database,
    `select id, workspace_id from conversations where is_deleting order by random() limit :limit`,
    { limit },
  );
}
