import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { isReached, lockRuns } from '#store/contents/lock-contents.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IN_PROGRESS } from '#store/uploads/change-runs.ts';

/** The run that unpacks an archive or e-mail, with what it needs to know of the content. */
export type ArchiveRun = {
  content_id: string;
  version: number;
  reader: string;
  upload_id: string | null;
  /** The upload that is complete only when this run is. */
  awaited_by: string | null;
  /** Entries before this position are saved for this version. */
  cursor: number;
  /** Number of archives that it is nested in. */
  depth: number;
  /** The uploaded file that contains it, and the size of that file. */
  root_id: string;
  root_size: number;
  name: string;
  metadata: Record<string, unknown>;
  file_data: Record<string, unknown>;
  created_by: string;
};

/** An entry that exists as a content, in one of its collections. */
export type KnownEntry = {
  content_id: string;
  collection_id: string;
  part_key: string;
  stage: ContentStatus;
  reader: string;
  name: string;
  content_hash: string | null;
  type: string | null;
  metadata: Record<string, unknown>;
  main_text: boolean;
  /** The `textKey` of the text that the collection has published, and of the text of the run in progress. */
  active_text_key: string | null;
  text_key: string | null;
};

/** The ids of contents and of everything unpacked from them. */
export const ENTRY_TREE = `tree(id) as (select unnest(:contentIds::uuid[])
  union select t.id from contents t join tree on t.part_of = tree.id)`;

/** Entries of archives and e-mails. Each is a content of its own that is deleted together with its archive. */
export function createEntryStore(database: Database) {
  const bind = (scope: Scope, collectionId: string) => ({ workspaceId: scope.workspaceId, collectionId });
  const tree = async (scope: Scope, contentIds: readonly string[]): Promise<string[]> => {
    const rows = await query<{ id: string }>(
      database,
      `with recursive ${ENTRY_TREE} select id from tree join contents using (id) where workspace_id = :workspaceId`,
      { workspaceId: scope.workspaceId, contentIds },
    );
    return rows.map((row) => row.id);
  };
  /** Until the end of the transaction, no other transaction saves entries of this upload root. */
  const lockRoot = async (scope: Scope, rootId: string): Promise<void> => {
    await query(database, `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :rootId, 5))`, {
      workspaceId: scope.workspaceId,
      rootId,
    });
  };

  return {
    tree,
    lockRoot,

    /**
     * Locks a content and everything unpacked from it, in all collections, for the transaction. The set of entries does not
     * change meanwhile. Returns their ids. A content that no collection in scope links is not locked: whoever has no access
     * holds up nobody.
     */
    async lockTree(scope: Scope, contentId: string): Promise<string[]> {
      const content = await queryOne<{ root_id: string }>(
        database,
        `select coalesce(part_root, id) as root_id from contents t where id = :contentId and workspace_id = :workspaceId
           and ${isReached('t.id')}`,
        { ...scope, contentId },
      );
      if (!content) return [contentId];
      await lockRoot(scope, content.root_id);
      await lockRuns(database, scope.workspaceId, await tree(scope, [contentId]));
      // A deletion that held the locks before may have detached some of them.
      return tree(scope, [contentId]);
    },

    /** Locks a collection against deletion for the transaction. Returns false when it is being deleted. */
    async lockCollection(scope: Scope, collectionId: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 from collections where id = :collectionId and workspace_id = :workspaceId and status <> 'deleting' for share`,
        bind(scope, collectionId),
      );
      return row !== null;
    },

    /** Returns the run that unpacks a content; null when it is paused, has ended or has been replaced by another run. */
    findRun(scope: Scope, run: { collectionId: string; runId: string }, contentId: string): Promise<ArchiveRun | null> {
      return queryOne<ArchiveRun>(
        database,
        `select cc.content_id, cc.version, cc.reader, cc.upload_id, t.part_depth as depth, t.name, t.metadata, t.file_data,
           t.created_by,
           case when cc.unpacked_version = cc.version then cc.unpacked else 0 end as cursor,
           root.id as root_id, coalesce(root.size, 0) as root_size, (
             select o.upload_id from outbox o
             where o.workflow_id = cc.workflow_id and o.workspace_id = cc.workspace_id) as awaited_by
         from content_collections cc join contents t on t.id = cc.content_id
         join contents root on root.id = coalesce((select r.id from contents r where r.id = t.part_root), t.id)
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.run_id = :runId
           and cc.content_id = :contentId and cc.stage in ${IN_PROGRESS} and not cc.paused`,
        { ...bind(scope, run.collectionId), runId: run.runId, contentId },
      );
    },

    /** Number and bytes of the entries that the current versions of an upload's archives have in a collection. */
    async usage(scope: Scope, collectionId: string, rootId: string): Promise<{ entries: number; bytes: number }> {
      const row = await queryOne<{ entries: number; bytes: number }>(
        database,
        `select count(*) as entries, coalesce(sum(t.size), 0)::bigint as bytes from contents t
         join content_collections cc on cc.content_id = t.id and ${ofCollection('cc')}
         join content_collections whole on whole.content_id = t.part_of and ${ofCollection('whole')}
         where t.part_root = :rootId and t.workspace_id = :workspaceId and cc.part_version = whole.version`,
        { ...bind(scope, collectionId), rootId },
      );
      return row ?? { entries: 0, bytes: 0 };
    },

    /**
     * Finds entries by key in all collections, except where they are being deleted. In this collection the contents found are
     * returned even when their row has no key, after the others: they were added by themselves, or are being deleted here.
     */
    findByKeys(scope: Scope, collectionId: string, keys: readonly string[]): Promise<KnownEntry[]> {
      return query<KnownEntry>(
        database,
        `select cc.content_id, cc.collection_id, named.part_key, cc.stage, cc.reader, cc.main_text, cc.active_text_key,
           cc.text_key, t.name, t.content_hash, t.type, t.metadata
         from (select distinct content_id, part_key from content_collections
           where workspace_id = :workspaceId and part_key = any(:keys::text[])) named
         join content_collections cc on cc.content_id = named.content_id
           and (cc.part_key is not null or cc.collection_id = :collectionId)
         join contents t on t.id = cc.content_id
         where cc.workspace_id = :workspaceId order by cc.part_key is null, cc.content_id, cc.collection_id`,
        { ...bind(scope, collectionId), keys },
      );
    },

    /** Records that this version of the archive contains these entries, with their keys. */
    async markPresent(
      scope: Scope,
      collectionId: string,
      present: { entries: readonly { content_id: string; part_key: string }[]; version: number },
    ): Promise<void> {
      await query(
        database,
        `update content_collections cc set part_version = :version, part_key = x.part_key
         from jsonb_to_recordset(:entries::jsonb) as x(content_id uuid, part_key text)
         where cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.content_id = x.content_id`,
        { ...bind(scope, collectionId), version: present.version, entries: JSON.stringify(present.entries) },
      );
    },

    /**
     * Saves the position up to which entries are saved. This is progress: worker crashes before it no longer count against the
     * content.
     */
    async saveCursor(
      scope: Scope,
      run: { collectionId: string; runId: string },
      position: { contentId: string; next: number },
    ): Promise<void> {
      await query(
        database,
        `update content_collections set unpacked_version = version, unpacked = :next,
           dead_attempts = least(dead_attempts, 1), updated_at = now()
         where workspace_id = :workspaceId and collection_id = :collectionId and run_id = :runId and content_id = :contentId`,
        { ...bind(scope, run.collectionId), runId: run.runId, ...position },
      );
    },

    /** Returns those of the contents that have entries which their current version no longer contains. */
    async findWithMissing(scope: Scope, collectionId: string, contentIds: readonly string[]): Promise<string[]> {
      if (contentIds.length === 0) return [];
      const rows = await query<{ id: string }>(
        database,
        `select distinct t.part_of as id from ${MISSING_ENTRIES} and t.part_of = any(:contentIds::uuid[])`,
        { ...bind(scope, collectionId), contentIds },
      );
      return rows.map((row) => row.id);
    },

    /** Returns some of the entries that the current version of a content no longer contains. */
    async listMissing(
      scope: Scope,
      collectionId: string,
      page: { contentId: string; limit: number },
    ): Promise<string[]> {
      const rows = await query<{ id: string }>(
        database,
        `select t.id from ${MISSING_ENTRIES} and t.part_of = :contentId order by t.id limit :limit`,
        { ...bind(scope, collectionId), ...page },
      );
      return rows.map((row) => row.id);
    },
  };
}

/** Entries in a collection that the current version of their archive does not contain. */
const MISSING_ENTRIES = `contents t join content_collections cc on cc.content_id = t.id and ${ofCollection('cc')}
  join content_collections whole on whole.content_id = t.part_of and ${ofCollection('whole')}
  where t.workspace_id = :workspaceId and cc.part_version < whole.version and cc.stage <> 'deleting'`;

export type EntryStore = ReturnType<typeof createEntryStore>;
