import { isContentStatus } from '#domain/statuses.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Collection, CreateCollectionRequest } from '#domain/records/collection.ts';
import type { Scope } from '#domain/access/scope.ts';
import { mapPage, queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';
import { collectionCounts } from './content-counts.ts';
import type { TimePosition } from '#domain/cursor.ts';

/** The Weaviate tenant and the embedding space of a collection's index. */
export type IndexGeneration = { tenant: string; space: EmbeddingSpace };

/** The index generation of a collection, and whether it has anything to find. */
export type SearchedIndex = { collectionId: string; index: IndexGeneration; hasPublished: boolean };

/** A collection with the index generation that serves its searches. */
type CollectionWithIndex = { collection: Collection; index: IndexGeneration };
export type CollectionFilter = {
  status?: string | undefined;
  visibility?: string | undefined;
  tag?: string | undefined;
  parentId?: string | undefined;
  /** Text that the name contains, ignoring case. */
  search?: string | undefined;
};

type Row = Omit<Collection, 'created_at' | 'updated_at' | 'stats' | 'embedding'> & {
  created_at: Date;
  updated_at: Date;
  created_us: number;
  client_stats: Record<string, unknown>;
  by_stage: Record<string, number> | null;
  chunks: number;
  bytes: number;
  tenant: string;
} & EmbeddingSpace;

const COLUMNS = `c.id, c.name, c.workspace_id, c.created_at, c.updated_at, c.description, c.store_type, c.visibility, c.status,
    c.tags, c.parent_id, c.stats as client_stats, c.meta_data, c.settings, c.source_type, c.source_id, c.created_by,
    (extract(epoch from c.created_at) * 1000000)::bigint as created_us,
    c.tenant, c.provider, c.model, c.model_hash, c.dimensions, s.by_stage, coalesce(s.chunks, 0) as chunks,
    coalesce(s.bytes, 0) as bytes`;
const ROW_BYTES = rowBytes({
  texts: ['c.name', 'c.description'],
  json: ['c.tags', 'c.stats', 'c.meta_data', 'c.settings'],
});

/**
 * Selects columns of the collections `c` that `rest` selects, a condition and what follows it. Their counts are summed up all at
 * once: what has changed has no index, and must not be read for each collection.
 */
const select = (columns: string, rest: string) => `
  with selected as materialized (
    select c.*, g.tenant, g.provider, g.model, g.model_hash, g.dimensions
    from collections c join index_generations g on g.collection_id = c.id and g.status = 'active' where ${rest}
  ), counts as materialized (
    select collection_id, jsonb_object_agg(status, contents) filter (where status <> 'all' and contents <> 0) as by_stage,
      (sum(chunks) filter (where status = 'all'))::bigint as chunks, (sum(bytes) filter (where status = 'all'))::bigint as bytes
    from (
      select collection_id, status, sum(contents) as contents, sum(chunks) as chunks, sum(bytes) as bytes
      from (${collectionCounts((id) => `${id} = any(array(select id from selected))`)}) parts group by collection_id, status
    ) sums group by collection_id
  )
  select ${columns} from selected c left join counts s on s.collection_id = c.id order by c.created_at, c.id`;

/** Collections that are being deleted are invisible. */
const IN_SCOPE = `c.workspace_id = :workspaceId and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[]))
  and c.status <> 'deleting'`;
const MATCHING = `(:status::text is null or c.status = :status)
  and (:visibility::text is null or c.visibility = :visibility)
  and (:tag::text is null or c.tags @> array[:tag::text]) and (:parentId::uuid is null or c.parent_id = :parentId)
  and (:search::text is null or strpos(lower(c.name), lower(:search)) > 0)`;

/** Runs at the beginning of every search. */
const FIND_INDEX: PreparedStatement = {
  name: 'find_index',
  sql: `select c.status, g.tenant, g.provider, g.model, g.model_hash, g.dimensions
    from collections c join index_generations g on g.collection_id = c.id and g.status = 'active'
    where ${IN_SCOPE} and c.id = :id`,
};

/** Runs at the beginning of a search of several collections. Looks for contents in their order, and stops at the limit. */
const FIND_INDEXES: PreparedStatement = {
  name: 'find_indexes',
  sql: `select found.*, published.has_published from (
      select c.id, c.created_at, g.tenant, g.provider, g.model, g.model_hash, g.dimensions
      from collections c join index_generations g on g.collection_id = c.id and g.status = 'active'
      where ${IN_SCOPE} and (:ids::uuid[] is null or c.id = any(:ids::uuid[])) order by c.created_at, c.id offset 0
    ) found cross join lateral (
      select exists (select from content_collections cc where cc.workspace_id = :workspaceId and cc.collection_id = found.id
        and cc.active_version is not null) as has_published offset 0
    ) published where :ids::uuid[] is not null or has_published order by found.created_at, found.id limit :limit`,
};

/** Collections and their index generations. */
export function createCollectionStore(database: Database) {
  return {
    /** Inserts a collection with its first index generation. Returns its id. */
    async insert(
      scope: Scope,
      record: CreateCollectionRequest & { createdBy: string },
      space: EmbeddingSpace,
    ): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `with added as (
           insert into collections (workspace_id, name, description, visibility, tags, parent_id, meta_data, settings,
             source_type, source_id, created_by)
           values (:workspaceId, :name, :description, :visibility, :tags, :parent_id, :meta_data, :settings,
             :source_type, :source_id, :createdBy) returning id
         )
         insert into index_generations (workspace_id, collection_id, number, tenant, status, provider, model, model_hash,
           dimensions)
         select :workspaceId, id, 1, id || '-1', 'active', :provider, :model, :model_hash, :dimensions from added
         returning collection_id as id`,
        {
          ...scope,
          ...record,
          ...space,
          meta_data: JSON.stringify(record.meta_data),
          settings: JSON.stringify(record.settings),
        },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    /** Returns a collection in scope, or null. */
    async find(scope: Scope, id: string): Promise<CollectionWithIndex | null> {
      const row = await queryOne<Row>(database, select(COLUMNS, `${IN_SCOPE} and c.id = :id`), {
        ...scope,
        id,
      });
      return row && { collection: toCollection(row), index: indexOf(row) };
    },

    /** Returns the names of those of these collections that are in scope, by id. */
    async names(scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
      const sql = `select c.id, c.name from collections c where ${IN_SCOPE} and c.id = any(:ids::uuid[])`;
      const rows = await query<{ id: string; name: string }>(database, sql, { ...scope, ids });
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    /** Returns status and index generation without the statistics: one index look-up. */
    async findIndex(scope: Scope, id: string): Promise<{ status: string; index: IndexGeneration } | null> {
      const row = await queryOne<{ status: string; tenant: string } & EmbeddingSpace>(database, FIND_INDEX, {
        ...scope,
        id,
      });
      return row && { status: row.status, index: indexOf(row) };
    },

    /** Returns the index generations of these collections in scope; null: of up to `limit` that have published contents. */
    async findIndexes(
      scope: Scope,
      { ids, limit }: { ids: readonly string[] | null; limit: number },
    ): Promise<SearchedIndex[]> {
      const rows = await query<{ id: string; has_published: boolean; tenant: string } & EmbeddingSpace>(
        database,
        FIND_INDEXES,
        { ...scope, ids, limit },
      );
      return rows.map((row) => ({ collectionId: row.id, hasPublished: row.has_published, index: indexOf(row) }));
    },

    /** Returns a page ordered by `(created_at, id)`. */
    async list(
      scope: Scope,
      filter: CollectionFilter,
      { after, limit }: { after: TimePosition | null; limit: number },
    ) {
      const list = select(
        `${COLUMNS}, ${ROW_BYTES}`,
        `${IN_SCOPE} and ${MATCHING} and (:afterUs::bigint is null
           or (c.created_at, c.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
         order by c.created_at, c.id limit :pageLimit::bigint + 1`,
      );
      const bindings = { ...scope, ...filterBindings(filter), afterUs: after?.createdUs, afterId: after?.id };
      const page = await queryPage<Row>(database, { list, order: 'created_us, id', limit }, bindings);
      return mapPage(page, (row) => ({ collection: toCollection(row), createdUs: row.created_us }));
    },

    async count(scope: Scope, filter: CollectionFilter): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from collections c where ${IN_SCOPE} and ${MATCHING}`,
        { ...scope, ...filterBindings(filter) },
      );
      return row?.count ?? 0;
    },

    /**
     * Serializes uploads into one collection until the transaction ends, so that each sees the contents of the others. Returns
     * the status, or null when the collection is not in scope.
     */
    async lockForUpload(scope: Scope, id: string): Promise<{ status: string; name: string } | null> {
      // The lock is restricted to the scope, so that a caller cannot block uploads into collections of others.
      await query(
        database,
        `select pg_advisory_xact_lock(hashtextextended(c.id::text, 0)) from collections c
         where ${IN_SCOPE} and c.id = :id`,
        { ...scope, id },
      );
      return queryOne<{ status: string; name: string }>(
        database,
        `select c.status, c.name from collections c where ${IN_SCOPE} and c.id = :id for share`,
        { ...scope, id },
      );
    },
  };
}

export type CollectionStore = ReturnType<typeof createCollectionStore>;

function filterBindings(filter: CollectionFilter) {
  const { status, visibility, tag, parentId, search } = filter;
  return { status, visibility, tag, parentId, search };
}

function indexOf(row: { tenant: string } & EmbeddingSpace): IndexGeneration {
  const { tenant, provider, model, model_hash, dimensions } = row;
  return { tenant, space: { provider, model, model_hash, dimensions } };
}

function toCollection(row: Row): Collection {
  const {
    client_stats,
    by_stage,
    chunks,
    bytes,
    tenant: _tenant,
    provider,
    model,
    model_hash,
    dimensions,
    created_us: _createdUs,
    ...rest
  } = row;
  const byStatus = Object.fromEntries(Object.entries(by_stage ?? {}).filter(([status]) => isContentStatus(status)));
  const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  return {
    ...rest,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    stats: { ...client_stats, contents: total, contents_by_status: byStatus, chunks, bytes },
    embedding: { provider, model, model_hash, dimensions },
  };
}
