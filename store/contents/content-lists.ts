import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { mapPage, queryPage, rowBytes, type Page } from '#store/page.ts';
import { queryOne, type Database } from '#store/postgres.ts';

export type ContentFilter = {
  collectionId?: string | undefined;
  status?: string | undefined;
  /** Content in which the contents were found. */
  linkedTo?: string | undefined;
  /** Text that the name contains, ignoring case. */
  search?: string | undefined;
};

/** Columns of a content; requires `JOIN_VISIBLE_LINK`. */
export const CONTENT_COLUMNS = `
  t.id, t.name, t.description, t.metadata, t.type, t.size, seen.status, t.sync_status, seen.status_message,
  case when seen.status = 'failed' then seen.failure_code end as error_code, t.content_hash,
  t.file_data, t.definition, floor(extract(epoch from t.created_at))::bigint as created_at,
  floor(extract(epoch from t.updated_at))::bigint as updated_at, t.external_id, seen.collection_id, t.workspace_id, t.config,
  t.linked_to, t.access_count`;

const LINK_COLUMNS = `cc.collection_id, cc.failure_code,
    case when cc.collection_id = t.collection_id then t.status when cc.paused then 'paused' else cc.stage end as status,
    case when cc.collection_id = t.collection_id then t.status_message else cc.stage_message end as status_message`;

const LINK_IN_SCOPE = `(:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
  and ${notDeleting('cc.collection_id')}`;

/**
 * Joins the link (`content_collections`) that determines the status of a content for the caller: that of its home collection, or
 * else the oldest link in scope. Links outside the scope are never used, because their collection id and status must not be
 * disclosed. No row when no link is in scope.
 */
export const JOIN_VISIBLE_LINK = `cross join lateral (
  select ${LINK_COLUMNS} from content_collections cc where cc.content_id = t.id and ${LINK_IN_SCOPE}
  order by cc.collection_id <> t.collection_id, cc.created_at, cc.collection_id limit 1) seen`;

/** The contents of a workspace or of a collection. Each list reads an index in its order, starting at the cursor. */
const LISTS = {
  workspace: {
    from: `contents t ${JOIN_VISIBLE_LINK}`,
    where: `t.workspace_id = :workspaceId`,
    position: ['t.created_at', 't.id'],
  },
  collection: {
    from: `content_collections cc join contents t on t.id = cc.content_id cross join lateral (select ${LINK_COLUMNS}) seen`,
    where: `cc.collection_id = :collectionId and ${COLLECTION_IN_SCOPE}`,
    position: ['cc.created_at', 'cc.content_id'],
  },
};

const MATCHING = `(:search::text is null or strpos(lower(t.name), lower(:search)) > 0)
  and (:status::text is null or seen.status = :status) and (:linkedTo::uuid is null or t.linked_to = :linkedTo)`;

const ROW_BYTES = rowBytes({
  texts: ['t.name', 't.description', 't.definition', 't.external_id'],
  json: ['t.metadata', 't.file_data', 't.config'],
});

/** Returns a page of contents in the order in which they were added to the workspace or to the collection of the filter. */
export async function listContents(
  database: Database,
  scope: Scope,
  { after, limit, ...filter }: ContentFilter & { after: TimePosition | null; limit: number },
): Promise<Page<{ content: Content; createdUs: number }>> {
  const { list, bindings } = listFor(scope, filter);
  const [createdAt, id] = list.position;
  const page = await queryPage<Content & { created_us: number }>(
    database,
    {
      list: `select ${CONTENT_COLUMNS}, (extract(epoch from ${createdAt}) * 1000000)::bigint as created_us, ${ROW_BYTES}
        from ${list.from}
        where ${list.where} and ${MATCHING} and (:afterUs::bigint is null
          or (${createdAt}, ${id}) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by ${createdAt}, ${id}`,
      order: 'created_us, id',
      limit,
    },
    { ...bindings, afterUs: after?.createdUs, afterId: after?.id },
  );
  return mapPage(page, ({ created_us, ...content }) => ({ content, createdUs: created_us }));
}

/** Returns the total number of contents of a list. */
export async function countContents(database: Database, scope: Scope, filter: ContentFilter): Promise<number> {
  const { list, bindings } = listFor(scope, filter);
  const row = await queryOne<{ count: number }>(database, countSql(scope, filter, list), bindings);
  return row?.count ?? 0;
}

/** Returns the statement that counts a list, without reading every content where possible. */
function countSql(scope: Scope, filter: ContentFilter, list: (typeof LISTS)['workspace']): string {
  const isPlain = filter.status === undefined && filter.search === undefined && filter.linkedTo === undefined;
  if (isPlain && list === LISTS.collection) {
    return `select count(*) as count from content_collections cc where ${list.where}`;
  }
  if (isPlain && scope.collectionIds === null) {
    // All contents except those that are only in collections that are being deleted.
    return `select (select count(*) from contents where workspace_id = :workspaceId) - (
      select count(distinct gone.content_id) from collections c join content_collections gone on gone.collection_id = c.id
      where c.workspace_id = :workspaceId and c.status = 'deleting' and not exists (
        select from content_collections cc where cc.content_id = gone.content_id and ${LINK_IN_SCOPE})) as count`;
  }
  return `select count(*) as count from ${list.from} where ${list.where} and ${MATCHING}`;
}

function listFor(scope: Scope, { collectionId, status, search, linkedTo }: ContentFilter) {
  // A scope of one collection lists the contents of that collection.
  const only = collectionId ?? (scope.collectionIds?.length === 1 ? scope.collectionIds[0] : undefined);
  const list = only === undefined ? LISTS.workspace : LISTS.collection;
  return { list, bindings: { ...scope, collectionId: only, status, search, linkedTo } };
}
