import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#store/collections/collections.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

export type ContentFilter = {
  collectionId?: string | undefined;
  status?: string | undefined;
  /** What the contents were found in. */
  linkedTo?: string | undefined;
  /** Part of the name, in any case. */
  search?: string | undefined;
};

/** Of a content as it is `SEEN`. */
export const CONTENT_COLUMNS = `
  t.id, t.name, t.description, t.metadata, t.type, t.size, seen.status, t.sync_status, seen.status_message, t.content_hash,
  t.file_data, t.definition, floor(extract(epoch from t.created_at))::bigint as created_at,
  floor(extract(epoch from t.updated_at))::bigint as updated_at, t.external_id, seen.collection_id, t.workspace_id, t.config,
  t.linked_to, t.access_count`;

const LINK_COLUMNS = `cc.collection_id,
    case when cc.collection_id = t.collection_id then t.status when cc.paused then 'paused' else cc.stage end as status,
    case when cc.collection_id = t.collection_id then t.status_message else cc.stage_message end as status_message`;

const LINK_IN_SCOPE = `(:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
  and ${notDeleting('cc.collection_id')}`;

/**
 * A content as it stands in one of its collections: its home, else the oldest in reach. Never one out of reach: its id and what
 * happens there are none of the caller's business. No row where none is in reach.
 */
export const JOIN_VISIBLE_LINK = `cross join lateral (
  select ${LINK_COLUMNS} from content_collections cc where cc.content_id = t.id and ${LINK_IN_SCOPE}
  order by cc.collection_id <> t.collection_id, cc.created_at, cc.collection_id limit 1) seen`;

/** Contents of a workspace, and those of a collection: each walks an index in the order of its list, from where it is asked. */
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

/**
 * A page of contents in the order in which they came, into the workspace or into the collection that is asked for; one row
 * more than `limit` when there are more.
 */
export async function listContents(
  database: Database,
  scope: Scope,
  { after, limit, ...filter }: ContentFilter & { after: TimePosition | null; limit: number },
): Promise<{ content: Content; createdUs: number }[]> {
  const { list, bindings } = listFor(scope, filter);
  const [createdAt, id] = list.position;
  const rows = await query<Content & { created_us: number }>(
    database,
    `select ${CONTENT_COLUMNS}, (extract(epoch from ${createdAt}) * 1000000)::bigint as created_us from ${list.from}
     where ${list.where} and ${MATCHING} and (:afterUs::bigint is null
       or (${createdAt}, ${id}) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
     order by ${createdAt}, ${id} limit :limit`,
    { ...bindings, afterUs: after?.createdUs, afterId: after?.id, limit: limit + 1 },
  );
  return rows.map(({ created_us, ...content }) => ({ content, createdUs: created_us }));
}

/** How many contents a list has in all. */
export async function countContents(database: Database, scope: Scope, filter: ContentFilter): Promise<number> {
  const { list, bindings } = listFor(scope, filter);
  const row = await queryOne<{ count: number }>(database, countSql(scope, filter, list), bindings);
  return row?.count ?? 0;
}

/** Without a look at each content where that is possible. */
function countSql(scope: Scope, filter: ContentFilter, list: (typeof LISTS)['workspace']): string {
  const isPlain = filter.status === undefined && filter.search === undefined && filter.linkedTo === undefined;
  if (isPlain && list === LISTS.collection) {
    return `select count(*) as count from content_collections cc where ${list.where}`;
  }
  if (isPlain && scope.collectionIds === null) {
    // All but those that are only where everything is being deleted.
    return `select (select count(*) from contents where workspace_id = :workspaceId) - (
      select count(distinct gone.content_id) from collections c join content_collections gone on gone.collection_id = c.id
      where c.workspace_id = :workspaceId and c.status = 'deleting' and not exists (
        select from content_collections cc where cc.content_id = gone.content_id and ${LINK_IN_SCOPE})) as count`;
  }
  return `select count(*) as count from ${list.from} where ${list.where} and ${MATCHING}`;
}

function listFor(scope: Scope, { collectionId, status, search, linkedTo }: ContentFilter) {
  // Who reaches one collection only sees what is in it.
  const only = collectionId ?? (scope.collectionIds?.length === 1 ? scope.collectionIds[0] : undefined);
  const list = only === undefined ? LISTS.workspace : LISTS.collection;
  return { list, bindings: { ...scope, collectionId: only, status, search, linkedTo } };
}
