import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { query, type Database } from '#store/postgres.ts';

/** A content that a collection already has. */
export type ExistingContent = {
  content_id: string;
  stage: ContentStatus;
  dedupe_key: string | null;
  external_id: string | null;
  name: string;
  type: string | null;
  size: number | null;
  content_hash: string | null;
  description: string | null;
  metadata: Record<string, unknown>;
};

/** What makes contents the same as uploaded items. */
export type ExistingKeys = { dedupeKeys: readonly string[]; externalIds: readonly string[] };

const EXISTING = `cc.workspace_id = :workspaceId and cc.collection_id = :collectionId
  and (cc.dedupe_key = any(:dedupeKeys::text[]) or cc.external_id = any(:externalIds::text[]))`;

/** What a collection has of what is uploaded into it. */
export function createExistingContents(database: Database) {
  return {
    /** Ids of what `find` finds, not held yet. */
    async ids(scope: Scope, collectionId: string, keys: ExistingKeys): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select cc.content_id from content_collections cc where ${EXISTING}`,
        { workspaceId: scope.workspaceId, collectionId, ...keys },
      );
      return rows.map((row) => row.content_id);
    },

    /** Contents of a collection by what makes them the same as an uploaded item. */
    find(scope: Scope, collectionId: string, keys: ExistingKeys) {
      return query<ExistingContent>(
        database,
        `select cc.content_id, cc.stage, cc.dedupe_key, cc.external_id, t.name, t.type, t.size, t.content_hash, t.description, t.metadata
         from content_collections cc join contents t on t.id = cc.content_id
         where ${EXISTING} order by cc.content_id for update of cc`,
        { workspaceId: scope.workspaceId, collectionId, ...keys },
      );
    },
  };
}

export type ExistingContents = ReturnType<typeof createExistingContents>;
