import type { Scope } from '#domain/access/scope.ts';
import { NO_FIELDS, type ContentFields } from '#domain/filters/filter-record.ts';
import { readsMetadata, type NeededFields } from '#domain/filters/needed-fields.ts';
import { COLLECTION_IN_SCOPE } from '#store/collections/not-deleting.ts';
import { query, type Database } from '#store/postgres.ts';

/** Contents with the same values of the needed fields. */
export type ContentGroup = { fields: ContentFields; contents: number };

/** `earlier`: collections whose contents were read already. `after`: the last content of the page before. */
export type GroupPage = {
  collectionId: string;
  earlier: readonly string[];
  needed: NeededFields;
  after: string | null;
  limit: number;
};

/** A page of published contents, in groups. `bytes`: of their metadata, if it was read. `last` is null on the last page. */
export type GroupedContents = { groups: ContentGroup[]; bytes: number; last: string | null };

/** Columns by the names of content fields. */
const COLUMNS: Readonly<Record<string, readonly (keyof typeof NO_FIELDS)[]>> = {
  content_id: ['content_id'],
  name: ['name'],
  type: ['type'],
  external_id: ['external_id'],
  source: ['source', 'url', 'name'],
  content_hash: ['content_hash'],
  size: ['size'],
  created_at: ['created_at'],
};

type Selected = Partial<ContentFields>;

/** Returns the needed fields of the published contents of a collection, page by page in the order of their ids. */
export async function groupPublishedContents(
  database: Database,
  scope: Scope,
  { needed, ...page }: GroupPage,
): Promise<GroupedContents> {
  const columns = columnsOf(needed);
  const sql = `with page as materialized (
      select cc.content_id from content_collections cc
      where cc.collection_id = :collectionId and cc.active_version is not null and ${COLLECTION_IN_SCOPE}
        and (:after::uuid is null or cc.content_id > :after) and not (cc.is_shared and exists (
          select from content_collections o where o.content_id = cc.content_id
            and o.collection_id = any(:earlier::uuid[]) and o.active_version is not null))
      order by cc.content_id limit :limit)
    select ${[...columns, 'metadata'].join(', ')}, count(*) as contents, sum(bytes)::bigint as bytes,
      (select content_id from page order by content_id desc limit 1) as last, (select count(*) from page) as listed
    from page cross join lateral (${selectFields(columns, needed)} where t.id = page.content_id offset 0) fields
    group by ${[...columns, 'metadata'].join(', ')}`;
  const bindings = { ...scope, ...page, metadataKeys: needed.metadataKeys };
  type Row = Selected & { contents: number; bytes: number; last: string; listed: number };
  const rows = await query<Row>(database, sql, bindings);
  const [first] = rows;
  return {
    groups: rows.map(({ contents, bytes: _bytes, last: _last, listed: _listed, ...fields }) => ({
      fields: { ...NO_FIELDS, ...fields },
      contents,
    })),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    last: first && first.listed === page.limit ? first.last : null,
  };
}

/** Returns the needed fields of contents by their ids; the caller has found out that they are in scope. */
export async function findContentFields(
  database: Database,
  scope: Scope,
  { ids, needed }: { ids: readonly string[]; needed: NeededFields },
): Promise<Map<string, ContentFields>> {
  const columns = columnsOf(needed);
  const sql = `select asked.id as asked_id, fields.* from unnest(:ids::uuid[]) asked(id)
    cross join lateral (${selectFields(columns, needed)}
      where t.id = asked.id and t.workspace_id = :workspaceId offset 0) fields`;
  const bindings = { ...scope, ids, metadataKeys: needed.metadataKeys };
  const rows = await query<Selected & { asked_id: string; bytes: number }>(database, sql, bindings);
  return new Map(rows.map(({ asked_id, bytes: _bytes, ...fields }) => [asked_id, { ...NO_FIELDS, ...fields }]));
}

function columnsOf({ columns }: NeededFields): string[] {
  return [...new Set([...columns].flatMap((name) => COLUMNS[name] ?? []))];
}

/** Metadata can be large, and is unpacked only if a field of it is needed, once. */
function selectFields(columns: readonly string[], needed: NeededFields): string {
  const selected = columns.map((column) => (column === 'content_id' ? 't.id as content_id' : `t.${column}`));
  if (!readsMetadata(needed))
    return `select ${[...selected, "'{}'::jsonb as metadata", '0 as bytes'].join(', ')} from contents t`;
  return `select ${[...selected, 'unpacked.metadata', 'unpacked.bytes'].join(', ')} from contents t cross join lateral (
      select coalesce(jsonb_object_agg(e.key, e.value)
          filter (where :metadataKeys::text[] is null or e.key = any(:metadataKeys::text[])), '{}') as metadata,
        coalesce(sum(octet_length(e.key) + pg_column_size(e.value)), 0) as bytes
      from jsonb_each(t.metadata) e) unpacked`;
}
