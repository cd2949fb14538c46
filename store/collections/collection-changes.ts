import type { UpdateCollectionRequest } from '#domain/records/collection.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

const IN_SCOPE = `id = :id and workspace_id = :workspaceId
  and (:collectionIds::uuid[] is null or id = any(:collectionIds::uuid[]))`;

/** Changes of a collection that requests make. */
export function createCollectionChanges(database: Database) {
  return {
    /** Locks a collection in scope until the transaction ends and returns its status; null when it does not exist. */
    async lock(scope: Scope, id: string): Promise<'active' | 'archived' | null> {
      const row = await queryOne<{ status: 'active' | 'archived' }>(
        database,
        `select status from collections where ${IN_SCOPE} and status <> 'deleting' for no key update`,
        { ...scope, id },
      );
      return row?.status ?? null;
    },

    /** Updates the fields that are set. */
    async update(scope: Scope, id: string, fields: UpdateCollectionRequest): Promise<void> {
      await query(
        database,
        `update collections set name = coalesce(:name, name), visibility = coalesce(:visibility, visibility),
           tags = coalesce(:tags::text[], tags), meta_data = coalesce(:metaData::jsonb, meta_data),
           settings = coalesce(:settings::jsonb, settings),
           description = case when :hasDescription then :description else description end,
           parent_id = case when :hasParent then :parentId::uuid else parent_id end, updated_at = now()
         where ${IN_SCOPE}`,
        {
          ...scope,
          id,
          name: fields.name,
          visibility: fields.visibility,
          tags: fields.tags,
          metaData: fields.meta_data && JSON.stringify(fields.meta_data),
          settings: fields.settings && JSON.stringify(fields.settings),
          hasDescription: fields.description !== undefined,
          description: fields.description,
          hasParent: fields.parent_id !== undefined,
          parentId: fields.parent_id,
        },
      );
    },

    /** Replaces the statistics that clients store. */
    async setStats(scope: Scope, id: string, stats: Record<string, unknown>): Promise<void> {
      await query(database, `update collections set stats = :stats::jsonb, updated_at = now() where ${IN_SCOPE}`, {
        ...scope,
        id,
        stats: JSON.stringify(stats),
      });
    },

    async setStatus(scope: Scope, id: string, status: 'active' | 'archived' | 'deleting'): Promise<void> {
      await query(database, `update collections set status = :status, updated_at = now() where ${IN_SCOPE}`, {
        ...scope,
        id,
        status,
      });
    },

    /** Serializes changes of parents in a workspace until the transaction ends: two concurrent ones could form a cycle. */
    async lockTree(scope: Scope): Promise<void> {
      await query(database, `select pg_advisory_xact_lock(hashtextextended(:workspaceId::text, 2))`, {
        workspaceId: scope.workspaceId,
      });
    },

    /** Whether `candidateId` is this collection or one of its descendants. */
    async isSameOrDescendant(scope: Scope, id: string, candidateId: string): Promise<boolean> {
      const row = await queryOne<{ found: boolean }>(
        database,
        `with recursive upwards as (
           select id, parent_id from collections where id = :below and workspace_id = :workspaceId
           union select c.id, c.parent_id from collections c join upwards on c.id = upwards.parent_id
         )
         select exists (select from upwards where id = :id) as found`,
        { workspaceId: scope.workspaceId, id, below: candidateId },
      );
      return row?.found === true;
    },

    /** Moves the children of a collection that is being deleted to the top level. */
    async detachChildren(scope: Scope, id: string): Promise<void> {
      await query(
        database,
        `update collections set parent_id = null where parent_id = :id and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id },
      );
    },
  };
}

export type CollectionChanges = ReturnType<typeof createCollectionChanges>;
