import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#store/collections/collections.ts';
import {
  CONTENT_COLUMNS,
  countContents,
  listContents,
  JOIN_VISIBLE_LINK,
  type ContentFilter,
} from './content-lists.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A content to be added, with the state of its first run. */
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
  /** What it was found in: for those that follow, what it came out of, what of all was uploaded, and how deep it lay there. */
  linked_to?: string | null;
  part_of?: string;
  part_root?: string;
  part_depth?: number;
};

/** A content that this run owns and may work on, with what the steps need of it. */
export type OwnedContent = {
  content_id: string;
  version: number;
  reader: string;
  /** How often work on this content began in this stage, this time included, without coming to an end. */
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

/** A content is in reach when one of its collections is. */
const IN_SCOPE = `t.workspace_id = :workspaceId and exists (
  select 1 from content_collections cc where cc.content_id = t.id
    and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${notDeleting('cc.collection_id')})`;

/** The contents themselves; their runs are in `runs`. */
export function createContentStore(database: Database) {
  return {
    /** A content the scope reaches, or null. */
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

    /** Where the original bytes of a content are; null when the scope does not reach it. */
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

    /** The text of its newest published chunks, null before; null when the scope does not reach it. */
    findText(scope: Scope, id: string): Promise<{ text_sha256: string | null } | null> {
      return queryOne(
        database,
        `select (select cc.active_text_sha256 from content_collections cc
                 where cc.content_id = t.id and cc.active_version is not null
                   and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${notDeleting('cc.collection_id')}
                 order by cc.publish_seq desc limit 1) as text_sha256
         from contents t where t.id = :id and ${IN_SCOPE}`,
        { ...scope, id },
      );
    },

    /** A page of a list, one row more than `limit` when there are more. */
    list: (scope: Scope, filter: ContentFilter, page: { after: TimePosition | null; limit: number }) =>
      listContents(database, scope, { ...filter, ...page }),

    count: (scope: Scope, filter: ContentFilter) => countContents(database, scope, filter),

    /** Adds contents of one collection; their runs are added by `runs.insert`. */
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
           size bigint, status text, content_hash text, file_data jsonb, external_id text, source text, url text, created_by text, linked_to uuid,
           part_of uuid, part_root uuid, part_depth smallint)`,
        { workspaceId: scope.workspaceId, collectionId, contents: JSON.stringify(contents) },
      );
    },

    /**
     * Takes over what a second upload says of contents that exist; `metadata: null` leaves it. Returns those whose metadata
     * changed: they are `stale` in the index until they are projected again.
     */
    async updateFromUpload(
      scope: Scope,
      updates: readonly { id: string; metadata: Record<string, unknown> | null; description: string | null }[],
    ): Promise<string[]> {
      if (updates.length === 0) return [];
      const rows = await query<{ id: string; changed: boolean }>(
        database,
        `with input as (
           select distinct on (x.id) x.id, x.metadata, x.description, x.metadata is not null and x.metadata <> t.metadata as changed
           from jsonb_to_recordset(:updates::jsonb) as x(id uuid, metadata jsonb, description text) join contents t on t.id = x.id
         )
         update contents t set metadata = coalesce(input.metadata, t.metadata), description = coalesce(input.description, t.description),
           sync_status = case when input.changed then 'stale' else t.sync_status end, updated_at = now()
         from input where t.id = input.id and t.workspace_id = :workspaceId returning t.id, input.changed`,
        { workspaceId: scope.workspaceId, updates: JSON.stringify(updates) },
      );
      return rows.filter((row) => row.changed).map((row) => row.id);
    },

    /**
     * Gives a content that is addressed by its `external_id` new bytes; what is published stays until the new run publishes.
     * Returns whether that version can now be filtered by something else.
     */
    async replaceBytes(scope: Scope, content: NewContent): Promise<boolean> {
      const row = await queryOne<{ changed: boolean }>(
        database,
        `update contents set name = :name, description = coalesce(:description, description), metadata = :metadata::jsonb,
           type = :type, size = :size, content_hash = :content_hash, file_data = :file_data::jsonb, source = :source,
           url = :url, sync_status = case when metadata <> :metadata::jsonb or name <> :name then 'stale' else sync_status end, updated_at = now()
         where id = :id and workspace_id = :workspaceId returning old.metadata <> new.metadata or old.name <> new.name as changed`,
        {
          ...content,
          workspaceId: scope.workspaceId,
          metadata: JSON.stringify(content.metadata),
          file_data: JSON.stringify(content.file_data),
        },
      );
      return row?.changed === true;
    },

    /** Adds to the access counters, in one statement for many contents, locked in one order for all who do. */
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
