import type { Content } from '../domain/records/content.ts';
import type { Scope } from '../domain/scope.ts';
import type { TimePosition } from './collections.ts';
import { livingIn } from './living.ts';
import { query, queryOne, type Database } from './postgres.ts';

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
};

export type ContentFilter = {
  collectionId?: string | undefined;
  status?: string | undefined;
  /** Part of the name, in any case. */
  search?: string | undefined;
};

const COLUMNS = `
  t.id, t.name, t.description, t.metadata, t.type, t.size, seen.status, t.sync_status, seen.status_message, t.content_hash,
  t.file_data, t.definition, floor(extract(epoch from t.created_at))::bigint as created_at,
  floor(extract(epoch from t.updated_at))::bigint as updated_at, t.external_id, seen.collection_id, t.workspace_id, t.config,
  t.linked_to, t.access_count`;

/** A content is in reach when one of its collections is. */
const IN_SCOPE = `t.workspace_id = :workspaceId and exists (
  select 1 from content_collections cc where cc.content_id = t.id
    and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${livingIn('cc.collection_id')})`;

const IN_COLLECTION = `(:collectionId::uuid is null or exists (
    select 1 from content_collections cc where cc.content_id = t.id and cc.collection_id = :collectionId))`;

/**
 * A content as it stands in one of its collections: the one that is asked for, else its home, else the oldest in reach. Never
 * one out of reach: its id and what happens there are none of the caller's business.
 */
const SEEN = `cross join lateral (
  select cc.collection_id,
    case when cc.collection_id = t.collection_id then t.status when cc.paused then 'paused' else cc.stage end as status,
    case when cc.collection_id = t.collection_id then t.status_message else cc.stage_message end as status_message
  from content_collections cc where cc.content_id = t.id and (:collectionId::uuid is null or cc.collection_id = :collectionId)
    and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[])) and ${livingIn('cc.collection_id')}
  order by cc.collection_id <> t.collection_id, cc.created_at, cc.collection_id limit 1) seen`;

const NAMED = `(:search::text is null or strpos(lower(t.name), lower(:search)) > 0)`;

const WITH_STATUS = `(:status::text is null or seen.status = :status)`;

/** The contents themselves; their runs are in `runs`. */
export function createContentStore(database: Database) {
  return {
    /** A content the scope reaches, or null. */
    find(scope: Scope, id: string): Promise<Content | null> {
      return queryOne<Content>(database, `select ${COLUMNS} from contents t ${SEEN} where t.id = :id and ${IN_SCOPE}`, {
        ...scope,
        id,
        collectionId: null,
      });
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

    /** A page ordered by `(created_at, id)`, one row more than `limit` when there are more. */
    async list(scope: Scope, filter: ContentFilter, page: { after: TimePosition | null; limit: number }) {
      const rows = await query<Content & { created_us: number }>(
        database,
        `select ${COLUMNS}, (extract(epoch from t.created_at) * 1000000)::bigint as created_us from contents t ${SEEN}
         where ${IN_SCOPE} and ${IN_COLLECTION} and ${NAMED} and ${WITH_STATUS} and (:afterUs::bigint is null
           or (t.created_at, t.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
         order by t.created_at, t.id limit :limit`,
        {
          ...scope,
          ...optional(filter),
          afterUs: page.after?.createdUs,
          afterId: page.after?.id,
          limit: page.limit + 1,
        },
      );
      return rows.map(({ created_us, ...content }) => ({ content, createdUs: created_us }));
    },

    async count(scope: Scope, filter: ContentFilter): Promise<number> {
      const withStatus = filter.status === undefined ? '' : SEEN;
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from contents t ${withStatus} where ${IN_SCOPE} and ${IN_COLLECTION} and ${NAMED}
           ${withStatus && `and ${WITH_STATUS}`}`,
        { ...scope, ...optional(filter) },
      );
      return row?.count ?? 0;
    },

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
           file_data, external_id, source, url, created_by)
         select id, :workspaceId, :collectionId, name, description, metadata, type, size, status, content_hash,
           file_data, external_id, source, url, created_by
         from jsonb_to_recordset(:contents::jsonb) as x(id uuid, name text, description text, metadata jsonb, type text,
           size bigint, status text, content_hash text, file_data jsonb, external_id text, source text, url text, created_by text)`,
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

function optional(filter: ContentFilter) {
  return { collectionId: filter.collectionId, status: filter.status, search: filter.search };
}
