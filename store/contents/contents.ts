import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { NeededFields } from '#domain/filters/needed-fields.ts';
import type { TimePosition } from '#domain/cursor.ts';
import {
  CONTENT_COLUMNS,
  countContents,
  listContents,
  JOIN_VISIBLE_LINK,
  type ContentFilter,
} from './content-lists.ts';
import { findContentFields, groupPublishedContents, type GroupPage } from './content-fields.ts';
import { listContentVersions } from './content-versions.ts';
import { INDEXED, IS_REFILED, MARK_FILES_OUTDATED, MARK_FILTERS_OUTDATED } from './outdated-filters.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A content to insert. */
export type NewContent = {
  id: string;
  name: string;
  description: string | null;
  metadata: Record<string, unknown>;
  type: string | null;
  size: number | null;
  content_hash: string | null;
  file_data: Record<string, unknown>;
  external_id: string | null;
  source: 'file' | 'url' | 'text';
  url: string | null;
  created_by: string;
  /** Content in which it was found. */
  linked_to?: string | null;
  /** For an archive entry: the archive or e-mail that holds it, the uploaded content at the root, and the nesting depth. */
  part_of?: string;
  part_root?: string;
  part_depth?: number;
};

/** A content that the current run owns, with the fields that ingestion steps need. */
export type OwnedContent = {
  content_id: string;
  version: number;
  reader: string;
  /** Attempts in the current stage that started and did not end, including the current one. */
  dead_attempts: number;
  name: string;
  type: string | null;
  size: number | null;
  content_hash: string | null;
  source: 'file' | 'url' | 'text';
  url: string | null;
  main_text: boolean;
  reread: boolean;
};

/** A content is in scope when one of its collections is. */
const IN_SCOPE = `t.workspace_id = :workspaceId and exists (
  select 1 from content_collections cc where cc.content_id = t.id
    and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
    and ${notDeleting('cc.collection_id')})`;

/** Metadata of a later upload; null changes nothing. `adds_metadata`: it is added to what is stored instead of replacing it. */
type LaterMetadata = { metadata: NewContent['metadata'] | null; adds_metadata?: boolean };
const METADATA = 'coalesce(case when x.adds_metadata then t.metadata || x.metadata else x.metadata end, t.metadata)';

/** A content with other bytes. */
type Replacement = Omit<NewContent, 'metadata'> & LaterMetadata;

/** Rows of contents. Their runs (`content_collections`) are in `runControl` and `runs`. */
export function createContentStore(database: Database) {
  return {
    /** Returns a content in scope, or null. */
    find(scope: Scope, id: string): Promise<Content | null> {
      return queryOne<Content>(
        database,
        `select ${CONTENT_COLUMNS} from contents t ${JOIN_VISIBLE_LINK} where t.id = :id and t.workspace_id = :workspaceId`,
        {
          ...scope,
          id,
        },
      );
    },

    /** Returns the original file of a content; null when the scope does not include it. */
    findFile(
      scope: Scope,
      id: string,
    ): Promise<{ name: string; type: string | null; size: number | null; content_hash: string | null } | null> {
      return queryOne(
        database,
        `select t.name, t.type, t.size, t.content_hash from contents t where t.id = :id and ${IN_SCOPE}`,
        { ...scope, id },
      );
    },

    /** Returns whether a content must be downloaded before it is read: its URL has no file yet, or that of an earlier URL. */
    async needsDownload(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne<{ is_needed: boolean }>(
        database,
        `select t.content_hash is null or t.is_file_outdated as is_needed from contents t where t.id = :id and ${IN_SCOPE}`,
        { ...scope, id },
      );
      return row?.is_needed === true;
    },

    /**
     * Returns the hash of the text from which the latest published chunks were made (null before the first publication); null
     * when the scope does not include the content.
     */
    findText(scope: Scope, id: string): Promise<{ text_sha256: string | null } | null> {
      return queryOne(
        database,
        `select (select cc.active_text_sha256 from content_collections cc
                 where cc.content_id = t.id and cc.active_version is not null
                   and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
                   and ${notDeleting('cc.collection_id')}
                 order by cc.publish_seq desc limit 1) as text_sha256
         from contents t where t.id = :id and ${IN_SCOPE}`,
        { ...scope, id },
      );
    },

    listVersions: (scope: Scope, place: { contentId: string; collectionId: string }) =>
      listContentVersions(database, scope, place),

    /** Returns a page of a list. */
    list: (scope: Scope, filter: ContentFilter, page: { after: TimePosition | null; limit: number }) =>
      listContents(database, scope, { ...filter, ...page }),

    groupPublished: (scope: Scope, page: GroupPage) => groupPublishedContents(database, scope, page),

    findFields: (scope: Scope, asked: { ids: readonly string[]; needed: NeededFields }) =>
      findContentFields(database, scope, asked),

    count: (scope: Scope, filter: ContentFilter) => countContents(database, scope, filter),

    /** Inserts contents of one collection; `runControl.insert` inserts their runs. */
    async insert(
      scope: Scope,
      collectionId: string,
      contents: readonly (NewContent & { status: string })[],
    ): Promise<void> {
      if (contents.length === 0) return;
      await query(
        database,
        `insert into contents (id, workspace_id, collection_id, name, description, metadata, type, size, status, content_hash,
           file_data, external_id, source, url, created_by, linked_to, part_of, part_root, part_depth)
         select id, :workspaceId, :collectionId, name, description, metadata, type, size, status, content_hash,
           file_data, external_id, source, url, created_by, linked_to, part_of, part_root, coalesce(part_depth, 0)
         from jsonb_to_recordset(:contents::jsonb) as x(id uuid, name text, description text, metadata jsonb, type text,
           size bigint, status text, content_hash text, file_data jsonb, external_id text, source text, url text,
           created_by text, linked_to uuid, part_of uuid, part_root uuid, part_depth smallint)`,
        { workspaceId: scope.workspaceId, collectionId, contents: JSON.stringify(contents) },
      );
    },

    /**
     * Updates metadata and description of existing contents from a later upload; null leaves a field unchanged. Returns the ids
     * of contents whose metadata changed: those in the index are `stale` until it is updated.
     */
    async updateFromUpload(
      scope: Scope,
      updates: readonly (LaterMetadata & { id: string; description: string | null })[],
    ): Promise<string[]> {
      if (updates.length === 0) return [];
      const rows = await query<{ id: string; changed: boolean }>(
        database,
        `with input as (
           select distinct on (x.id) x.*, ${METADATA} <> t.metadata as outdated
           from jsonb_to_recordset(:updates::jsonb) as x(id uuid, metadata jsonb, adds_metadata boolean, description text)
             join contents t on t.id = x.id
         ), changed as (
           update contents t set metadata = ${METADATA}, description = coalesce(x.description, t.description),
             sync_status = case when x.outdated and ${INDEXED} then 'stale' else t.sync_status end, updated_at = now()
           from input x where t.id = x.id and t.workspace_id = :workspaceId returning t.id, x.outdated
         ), ${MARK_FILTERS_OUTDATED}
         select id, outdated as changed from changed`,
        { workspaceId: scope.workspaceId, updates: JSON.stringify(updates) },
      );
      return rows.filter((row) => row.changed).map((row) => row.id);
    },

    /**
     * Replaces the bytes of contents that are addressed by their `external_id`. The published versions stay until the new runs
     * publish, and a file stays until that of another URL is downloaded. Null leaves description or metadata unchanged.
     * Returns the ids of contents of which filter fields in the index are outdated; those of the file only in other collections.
     */
    async replaceBytes(scope: Scope, collectionId: string, contents: readonly Replacement[]): Promise<string[]> {
      if (contents.length === 0) return [];
      const rows = await query<{ id: string; changed: boolean }>(
        database,
        `with changed as (
           update contents t set name = x.name, description = coalesce(x.description, t.description),
             metadata = ${METADATA}, type = coalesce(x.type, t.type), size = coalesce(x.size, t.size),
             content_hash = coalesce(x.content_hash, t.content_hash),
             is_file_outdated = x.content_hash is null and (t.is_file_outdated or x.url is distinct from t.url),
             file_data = x.file_data, source = x.source, url = x.url, updated_at = now(), sync_status = case
               when (${METADATA} <> t.metadata or x.name <> t.name) and ${INDEXED} then 'stale' else t.sync_status end
           from jsonb_to_recordset(:contents::jsonb) as x(id uuid, name text, description text, metadata jsonb,
             adds_metadata boolean, type text, size bigint, content_hash text, file_data jsonb, source text, url text)
           where t.id = x.id and t.workspace_id = :workspaceId
           returning t.id, old.metadata <> new.metadata or old.name <> new.name as outdated, ${IS_REFILED} as refiled
         ), ${MARK_FILES_OUTDATED}
         select id, outdated or id in (select content_id from marked) as changed from changed`,
        { workspaceId: scope.workspaceId, collectionId, contents: JSON.stringify(contents) },
      );
      return rows.filter((row) => row.changed).map((row) => row.id);
    },

    /** Adds to the access counters of many contents in one statement. The rows are locked in the order of their ids. */
    async addAccesses(scope: Scope, counts: ReadonlyMap<string, number>): Promise<void> {
      if (counts.size === 0) return;
      await query(
        database,
        `with locked as (
           select id from contents where id = any(:ids::uuid[]) and workspace_id = :workspaceId order by id for no key update
         )
         update contents t set access_count = t.access_count + x.count
         from (select unnest(:ids::uuid[]) as id, unnest(:counts::bigint[]) as count) x join locked using (id) where t.id = x.id`,
        { workspaceId: scope.workspaceId, ids: [...counts.keys()], counts: [...counts.values()] },
      );
    },
  };
}

export type ContentStore = ReturnType<typeof createContentStore>;
