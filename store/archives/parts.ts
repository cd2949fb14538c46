import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { lockRuns } from '#store/contents/lock-contents.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { WORKING } from '#store/uploads/run-control.ts';

/** A content that holds others, as the run that takes them out needs it. */
export type PartHolder = {
  content_id: string;
  version: number;
  reader: string;
  upload_id: string | null;
  /** The upload that is over only when this run is. */
  awaited_by: string | null;
  /** Parts before this one are taken, of this version. */
  cursor: number;
  /** How many others it came out of. */
  depth: number;
  /** What was uploaded, and its size. */
  root_id: string;
  root_size: number;
  name: string;
  metadata: Record<string, unknown>;
  file_data: Record<string, unknown>;
  created_by: string;
};

/** A part that is there, in one of its collections. */
export type KnownPart = {
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
  /** What the text is of that the collection published, and the one of its run under way (`textKey`). */
  active_text_key: string | null;
  text_key: string | null;
};

/** The ids of contents and of all that came out of them. */
export const PART_TREE = `tree(id) as (select unnest(:contentIds::uuid[]) union select t.id from contents t join tree on t.part_of = tree.id)`;

/** What came out of archives and messages: contents of their own that live and go with the whole. */
export function createPartStore(database: Database) {
  const bind = (scope: Scope, collectionId: string) => ({ workspaceId: scope.workspaceId, collectionId });
  const tree = async (scope: Scope, contentIds: readonly string[]): Promise<string[]> => {
    const rows = await query<{ id: string }>(
      database,
      `with recursive ${PART_TREE} select id from tree join contents using (id) where workspace_id = :workspaceId`,
      { workspaceId: scope.workspaceId, contentIds },
    );
    return rows.map((row) => row.id);
  };
  /** For the rest of the transaction nothing more comes out of what was uploaded as this. */
  const lockRoot = async (scope: Scope, rootId: string): Promise<void> => {
    await query(database, `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :rootId, 5))`, {
      workspaceId: scope.workspaceId,
      rootId,
    });
  };

  return {
    tree,
    lockRoot,

    /** Holds a content with all that came out of it, wherever it is, for the transaction; what is in it stays the same. Returns their ids. */
    async lockTree(scope: Scope, contentId: string): Promise<string[]> {
      const content = await queryOne<{ root_id: string }>(
        database,
        `select coalesce(part_root, id) as root_id from contents where id = :contentId and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, contentId },
      );
      if (!content) return [contentId];
      await lockRoot(scope, content.root_id);
      await lockRuns(database, scope.workspaceId, await tree(scope, [contentId]));
      // A removal that was waited for may have set some of them free.
      return tree(scope, [contentId]);
    },

    /** Keeps a collection from being deleted for the transaction; false when it is. */
    async holdCollection(scope: Scope, collectionId: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 from collections where id = :collectionId and workspace_id = :workspaceId and status <> 'deleting' for share`,
        bind(scope, collectionId),
      );
      return row !== null;
    },

    /** The content whose parts this run takes; null when it is paused, over, or another one's. */
    holder(scope: Scope, run: { collectionId: string; runId: string }, contentId: string): Promise<PartHolder | null> {
      return queryOne<PartHolder>(
        database,
        `select cc.content_id, cc.version, cc.reader, cc.upload_id, t.part_depth as depth, t.name, t.metadata, t.file_data, t.created_by,
           case when cc.unpacked_version = cc.version then cc.unpacked else 0 end as cursor,
           root.id as root_id, coalesce(root.size, 0) as root_size, (
             select o.args ->> 'upload_id' from outbox o where o.workflow_id = cc.workflow_id and o.workspace_id = cc.workspace_id) as awaited_by
         from content_collections cc join contents t on t.id = cc.content_id
         join contents root on root.id = coalesce((select r.id from contents r where r.id = t.part_root), t.id)
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.run_id = :runId
           and cc.content_id = :contentId and cc.stage in ${WORKING} and not cc.paused`,
        { ...bind(scope, run.collectionId), runId: run.runId, contentId },
      );
    },

    /** How many parts the present versions of an upload's archives have in a collection, and their bytes. */
    async usage(scope: Scope, collectionId: string, rootId: string): Promise<{ parts: number; bytes: number }> {
      const row = await queryOne<{ parts: number; bytes: number }>(
        database,
        `select count(*) as parts, coalesce(sum(t.size), 0)::bigint as bytes from contents t
         join content_collections cc on cc.content_id = t.id and cc.collection_id = :collectionId
         join content_collections whole on whole.content_id = t.part_of and whole.collection_id = :collectionId
         where t.part_root = :rootId and t.workspace_id = :workspaceId and cc.part_version = whole.version`,
        { ...bind(scope, collectionId), rootId },
      );
      return row ?? { parts: 0, bytes: 0 };
    },

    /**
     * Parts by their keys, in all collections; those that are being deleted are gone. In this collection those contents are found
     * without a key, too, after the others: they came by themselves, or are being deleted here.
     */
    known(scope: Scope, collectionId: string, keys: readonly string[]): Promise<KnownPart[]> {
      return query<KnownPart>(
        database,
        `select cc.content_id, cc.collection_id, named.part_key, cc.stage, cc.reader, cc.main_text, cc.active_text_key, cc.text_key,
           t.name, t.content_hash, t.type, t.metadata
         from (select distinct content_id, part_key from content_collections
           where workspace_id = :workspaceId and part_key = any(:keys::text[])) named
         join content_collections cc on cc.content_id = named.content_id and (cc.part_key is not null or cc.collection_id = :collectionId)
         join contents t on t.id = cc.content_id
         where cc.workspace_id = :workspaceId order by cc.part_key is null, cc.content_id, cc.collection_id`,
        { ...bind(scope, collectionId), keys },
      );
    },

    /** Notes that this version of the whole has these parts, by these keys. */
    async see(
      scope: Scope,
      collectionId: string,
      seen: { parts: readonly { content_id: string; part_key: string }[]; version: number },
    ): Promise<void> {
      await query(
        database,
        `update content_collections cc set part_version = :version, part_key = x.part_key
         from jsonb_to_recordset(:parts::jsonb) as x(content_id uuid, part_key text)
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.content_id = x.content_id`,
        { ...bind(scope, collectionId), version: seen.version, parts: JSON.stringify(seen.parts) },
      );
    },

    /** Notes how far the parts of a content are taken. That came to something: a worker that dies after it says nothing of the content. */
    async advance(
      scope: Scope,
      run: { collectionId: string; runId: string },
      taken: { contentId: string; next: number },
    ): Promise<void> {
      await query(
        database,
        `update content_collections set unpacked_version = version, unpacked = :next, dead_attempts = least(dead_attempts, 1), updated_at = now()
         where workspace_id = :workspaceId and collection_id = :collectionId and run_id = :runId and content_id = :contentId`,
        { ...bind(scope, run.collectionId), runId: run.runId, ...taken },
      );
    },

    /** Of these contents, those that have parts which their present version no longer holds. */
    async outdated(scope: Scope, collectionId: string, contentIds: readonly string[]): Promise<string[]> {
      if (contentIds.length === 0) return [];
      const rows = await query<{ id: string }>(
        database,
        `select distinct t.part_of as id from ${OUTDATED} and t.part_of = any(:contentIds::uuid[])`,
        { ...bind(scope, collectionId), contentIds },
      );
      return rows.map((row) => row.id);
    },

    /** Some parts that a content no longer holds. */
    async vanished(scope: Scope, collectionId: string, page: { contentId: string; limit: number }): Promise<string[]> {
      const rows = await query<{ id: string }>(
        database,
        `select t.id from ${OUTDATED} and t.part_of = :contentId order by t.id limit :limit`,
        { ...bind(scope, collectionId), ...page },
      );
      return rows.map((row) => row.id);
    },
  };
}

/** Links of parts to a collection that the present version of the whole did not come by. */
const OUTDATED = `contents t join content_collections cc on cc.content_id = t.id and cc.collection_id = :collectionId
  join content_collections whole on whole.content_id = t.part_of and whole.collection_id = :collectionId
  where t.workspace_id = :workspaceId and cc.part_version < whole.version and cc.stage <> 'deleting'`;

export type PartStore = ReturnType<typeof createPartStore>;
