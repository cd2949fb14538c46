import type { UpdateContentRequest } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import { isReached, lockRuns } from './lock-contents.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { INDEXED, MARK_FILTERS_OUTDATED } from './outdated-filters.ts';

/** Changes of a content that requests make. */
export function createContentChanges(database: Database) {
  const bind = (scope: Scope, id: string) => ({ workspaceId: scope.workspaceId, id });
  return {
    /**
     * Locks the runs of contents in all their collections, and then the contents, until the transaction ends. Every transaction
     * that changes filter fields of a content takes these locks in this order, so that they cannot deadlock.
     */
    async lockWithRuns(scope: Scope, contentIds: readonly string[]): Promise<void> {
      await lockRuns(database, scope.workspaceId, contentIds);
      await query(
        database,
        `select from contents where workspace_id = :workspaceId and id = any(:contentIds::uuid[])
         order by id for no key update`,
        { workspaceId: scope.workspaceId, contentIds },
      );
    },

    /** True when a collection in scope links the content. Nothing is locked. */
    async isReached(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 from contents t where t.id = :id and t.workspace_id = :workspaceId and ${isReached('t.id')}`,
        { ...scope, id },
      );
      return row !== null;
    },

    /** Locks out uploads into the home collection of a content, in which its `external_id` is unique. */
    async lockHomeCollection(scope: Scope, id: string): Promise<void> {
      await query(
        database,
        `select pg_advisory_xact_lock(hashtextextended(t.collection_id::text, 0)) from contents t
         where t.id = :id and t.workspace_id = :workspaceId and exists (
           select 1 from content_collections cc where cc.content_id = t.id
             and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])))`,
        { ...scope, id },
      );
    },

    /**
     * Sets the `external_id` of a content. Returns false when another content of its home collection has that id, when the home
     * collection is outside the scope, or when the content is being deleted from it. Requires `lockHomeCollection`.
     */
    async setExternalId(scope: Scope, id: string, externalId: string): Promise<boolean> {
      const row = await queryOne<{ is_named: boolean }>(
        database,
        `with home as (
           select t.collection_id from contents t join content_collections cc on cc.content_id = t.id
             and cc.collection_id = t.collection_id and cc.stage <> 'deleting'
           where t.id = :id and t.workspace_id = :workspaceId
             and (:collectionIds::uuid[] is null or t.collection_id = any(:collectionIds::uuid[]))
         ), taken as (
           select 1 from content_collections cc join home using (collection_id)
           where cc.external_id = :externalId and cc.content_id <> :id
         ), named as (
           update content_collections cc set external_id = :externalId, dedupe_key = null, updated_at = now() from home
           where cc.content_id = :id and cc.collection_id = home.collection_id and cc.external_id is distinct from :externalId
             and not exists (select from taken)
         )
         select exists (select from home) and not exists (select from taken) as is_named`,
        { ...scope, id, externalId },
      );
      return row?.is_named === true;
    },

    /** Returns whether a content has another name, by which uploads recognize it. The transaction must have locked it. */
    async isKeyedByName(scope: Scope, id: string, name: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `select from contents t join content_collections cc on cc.content_id = t.id and cc.collection_id = t.collection_id
         where t.id = :id and t.workspace_id = :workspaceId and t.name <> :name and t.source <> 'url'
           and cc.dedupe_key is not null`,
        { ...bind(scope, id), name },
      );
      return row !== null;
    },

    /**
     * Sets the key by which uploads into the home collection recognize a content, unless it has none; none when another
     * content has the new key. A URL is recognized by its address and keeps its key. Requires `lockHomeCollection`.
     */
    async setDedupeKey(scope: Scope, id: string, key: string): Promise<void> {
      await query(
        database,
        `update content_collections cc set dedupe_key = case when exists (
             select from content_collections other
             where other.collection_id = cc.collection_id and other.dedupe_key = :key and other.content_id <> :id)
           then null else :key end
         from contents t
         where t.id = :id and t.workspace_id = :workspaceId and cc.content_id = t.id and cc.collection_id = t.collection_id
           and cc.dedupe_key is not null and t.source <> 'url'`,
        { ...bind(scope, id), key },
      );
    },

    /**
     * Updates the fields that are set. Returns whether the index must be updated: because filter fields changed, or because the
     * request sets `sync_status` to `stale`. A content without objects in the index does not become stale.
     */
    async update(
      scope: Scope,
      id: string,
      fields: UpdateContentRequest & { externalId: string | null },
    ): Promise<boolean> {
      const row = await queryOne<{ is_stale: boolean }>(
        database,
        `with changed as (
           update contents t set name = coalesce(:name, name), metadata = coalesce(:metadata::jsonb, metadata),
             external_id = coalesce(:externalId, external_id), status = coalesce(:status, status),
             is_status_written = is_status_written or :status::text is not null,
             description = case when :hasDescription then :description else description end,
             status_message = case when :hasStatusMessage then :statusMessage else status_message end,
             definition = case when :hasDefinition then :definition else definition end,
             sync_status = case when ${CHANGED} and ${INDEXED} then 'stale' else coalesce(:syncStatus, sync_status) end,
             updated_at = now()
           where id = :id and workspace_id = :workspaceId
           returning t.id, new.sync_status = 'stale' and (${CHANGED_ROW} or :syncStatus::text is not null) as outdated
         ), ${MARK_FILTERS_OUTDATED}
         select outdated as is_stale from changed`,
        { ...bind(scope, id), ...bindingsOf(fields) },
      );
      return row?.is_stale === true;
    },
  };
}

export type ContentChanges = ReturnType<typeof createContentChanges>;

/** Whether the update changes fields that filters use. */
const CHANGED = `(coalesce(:name::text <> t.name, false) or coalesce(:metadata::jsonb <> t.metadata, false)
  or coalesce(:externalId::text is distinct from t.external_id, false) and :externalId::text is not null)`;

const CHANGED_ROW = `(old.name <> new.name or old.metadata <> new.metadata or old.external_id is distinct from new.external_id)`;

function bindingsOf(fields: UpdateContentRequest & { externalId: string | null }) {
  return {
    name: fields.name,
    metadata: fields.metadata && JSON.stringify(fields.metadata),
    externalId: fields.externalId,
    status: fields.status,
    syncStatus: fields.sync_status,
    hasDescription: fields.description !== undefined,
    description: fields.description,
    hasStatusMessage: fields.status_message !== undefined,
    statusMessage: fields.status_message,
    hasDefinition: fields.definition !== undefined,
    definition: fields.definition,
  };
}
