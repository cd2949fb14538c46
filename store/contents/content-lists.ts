import type { Content } from '#domain/records/content.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { ANY_IN_SCOPE, collectionCounts } from '#store/collections/content-counts.ts';
import { COLLECTION_IN_SCOPE, notDeleting } from '#store/collections/not-deleting.ts';
import { boundedCount, mapPage, queryPage, rowBytes, type BoundedCount, type Page } from '#store/page.ts';
import { queryOne, type Database } from '#store/postgres.ts';
import { STAGE_ORDER } from '#store/uploads/run-work.ts';
import {
  AFTER_PLACE,
  anyPlaces,
  headPlacesOf,
  IN_SCOPE,
  linkInScope,
  mergedPlaces,
  placesInOrder,
  placesNear,
  SHOWN_LINK,
  WITH_SCOPE,
  type Merge,
} from './merged-contents.ts';

/** Larger numbers of contents that match a filter are not counted: each would have to be read. */
const MAX_COUNTED_CONTENTS = 1_000;

export type ContentFilter = {
  collectionId?: string | undefined;
  status?: string | undefined;
  /** Content in which the contents were found. */
  linkedTo?: string | undefined;
  /** Text that the name contains, ignoring case. */
  search?: string | undefined;
};

/** A content with its position in the list, and the columns that only filters need. */
export type ListedContent = { content: Content; createdUs: number; source: string; url: string | null };

/** Columns of a content; requires `JOIN_VISIBLE_LINK`. */
export const CONTENT_COLUMNS = `
  t.id, t.name, t.description, t.metadata, t.type, t.size, seen.status, t.sync_status, seen.status_message,
  case when seen.status = 'failed' then seen.failure_code end as error_code, t.content_hash,
  t.file_data, t.definition, floor(extract(epoch from t.created_at))::bigint as created_at,
  floor(extract(epoch from t.updated_at))::bigint as updated_at, t.external_id, seen.collection_id, t.workspace_id, t.config,
  t.linked_to, t.access_count`;

/** Of a link `cc` and its content `t`. */
export const LINK_COLUMNS = `cc.collection_id, cc.failure_code, cc.created_at as link_created_at,
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

const MATCHING = `(:search::text is null or strpos(lower(t.name), lower(:search)) > 0)
  and (:status::text is null or seen.status = :status) and (:linkedTo::uuid is null or t.linked_to = :linkedTo)`;

const ROW_BYTES = rowBytes({
  texts: ['t.name', 't.description', 't.definition', 't.external_id'],
  json: ['t.metadata', 't.file_data', 't.config'],
});

/** Where the rows of a list come from, and the columns of their position. `count` selects rows to count, in any order. */
type ContentList = {
  from: string;
  position: readonly [createdAt: string, id: string];
  count: (limit: string) => string;
  /** Set when the statement of the list is always the same. */
  name?: string;
};

const PAGE_LIMIT = ':pageLimit::bigint + 1';

/** The contents of a workspace in the order of its index. Read while most of what is read is in the list. */
const WORKSPACE_LIST = listOf(`contents t ${JOIN_VISIBLE_LINK} where t.workspace_id = :workspaceId and ${MATCHING}`, [
  't.created_at',
  't.id',
]);

/** The contents of the collection in the order of its index. */
const COLLECTION_LIST = listOf(
  `content_collections cc join contents t on t.id = cc.content_id cross join lateral (select ${LINK_COLUMNS}) seen
   where cc.collection_id = :collectionId and ${COLLECTION_IN_SCOPE} and ${MATCHING}`,
  ['cc.created_at', 'cc.content_id'],
);

function listOf(from: string, position: ContentList['position']): ContentList {
  return { from, position, count: (limit) => `select from ${from} limit ${limit}` };
}

type Select = (limit: string, isOrdered: boolean) => string;

/** The contents of several collections, in the order in which they came into them. */
function scopeList(contents: string | null): ContentList {
  const merge = { collections: IN_SCOPE, links: SHOWN_LINK, contents, seen: LINK_COLUMNS };
  const merged = mergedList([selectMerged(merge)]);
  if (contents !== null) return merged;
  const near: Select = () =>
    'select content_id, collection_id, created_at from near where (select is_filled from filled)';
  const others = selectMerged({ ...merge, collections: `${IN_SCOPE} and not (select is_filled from filled)` });
  const { from, position } = mergedList([near, others], placesNear(PAGE_LIMIT));
  return { from, position, count: merged.count, name: 'list_contents_of_scope' };
}

function selectMerged(merge: Merge): Select {
  return (limit, isOrdered) => (isOrdered ? mergedPlaces : anyPlaces)(merge, limit);
}

/**
 * Merges selections of places. Each selects up to a limit, or anything to be counted when `isOrdered` is false. `steps`: common
 * table expressions that they need, after `WITH_SCOPE`.
 */
function mergedList(selections: readonly Select[], steps = ''): ContentList {
  const places = (limit: string, isOrdered: boolean) =>
    selections.map((select) => `(${select(limit, isOrdered)})`).join(' union all ');
  return {
    from: `(${WITH_SCOPE}${steps}
      select * from (${places(PAGE_LIMIT, true)}) places order by created_at, content_id limit ${PAGE_LIMIT}) place
      cross join lateral (select * from contents where id = place.content_id offset 0) t
      cross join lateral (select * from content_collections cc
        where cc.content_id = place.content_id and cc.collection_id = place.collection_id offset 0) cc
      cross join lateral (select ${LINK_COLUMNS}) seen where true`,
    position: ['place.created_at', 'place.content_id'],
    count: (limit) => `${WITH_SCOPE} select from (${places(limit, false)}) places limit ${limit}`,
  };
}

const NOT_WRITTEN = `cc.content_id not in (
  select w.id from contents w where w.workspace_id = :workspaceId and w.is_status_written)`;

/**
 * The contents with a status that few have. They are found by the status of their runs, which has an index by workspace and
 * one by collection, and by what clients have written instead.
 */
function statusList(scope: Scope, { collectionId, status, search }: ContentFilter): ContentList {
  const one = `cc.collection_id = :collectionId and ${COLLECTION_IN_SCOPE}`;
  const isOne = collectionId !== undefined;
  const found = {
    links: `cc.bucket = :bucket and ${isOne ? one : SHOWN_LINK} and ${NOT_WRITTEN}`,
    // In a bucket of its own, a status need not be looked at.
    contents: isInProgress(status) || search !== undefined ? MATCHING : null,
    seen: LINK_COLUMNS,
  };
  const isMerged = !isOne && scope.collectionIds !== null;
  const ofRuns: Select = isMerged
    ? selectMerged({ ...found, collections: IN_SCOPE })
    : (limit) => placesInOrder(found, limit);
  const written: Select = (limit) => `select cc.content_id, cc.collection_id, cc.created_at from contents t
    join content_collections cc on cc.content_id = t.id cross join lateral (select ${LINK_COLUMNS}) seen
    where t.workspace_id = :workspaceId and t.is_status_written and ${MATCHING} and ${AFTER_PLACE}
      and ${isOne ? one : `${SHOWN_LINK} and ${linkInScope('cc')}`}
    order by cc.created_at, cc.content_id limit ${limit}`;
  return mergedList([ofRuns, written]);
}

/** Returns a page of contents in the order in which they were added to the workspace or to the collection of the filter. */
export async function listContents(
  database: Database,
  scope: Scope,
  { after, limit, ...filter }: ContentFilter & { after: TimePosition | null; limit: number },
): Promise<Page<ListedContent>> {
  const { list, bindings } = listFor(scope, filter);
  const [createdAt, id] = list.position;
  const page = await queryPage<Content & Pick<ListedContent, 'source' | 'url'> & { created_us: number }>(
    database,
    {
      list: `select ${CONTENT_COLUMNS}, (extract(epoch from ${createdAt}) * 1000000)::bigint as created_us, t.source, t.url,
          ${ROW_BYTES}
        from ${list.from} and (:afterUs::bigint is null
          or (${createdAt}, ${id}) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by ${createdAt}, ${id}`,
      order: 'created_us, id',
      limit,
      name: list.name,
    },
    {
      ...bindings,
      afterUs: after?.createdUs,
      afterId: after?.id,
      headPlaces: headPlacesOf(scope.collectionIds?.length ?? 1, limit + 1),
    },
  );
  return mapPage(page, ({ created_us, source, url, ...content }) => ({ content, createdUs: created_us, source, url }));
}

/** Returns the number of contents of a list. It is exact without filters, and otherwise up to `MAX_COUNTED_CONTENTS`. */
export async function countContents(database: Database, scope: Scope, filter: ContentFilter): Promise<BoundedCount> {
  const { list, bindings } = listFor(scope, filter);
  const isPlain = filter.status === undefined && filter.search === undefined && filter.linkedTo === undefined;
  // What is linked to one content has an index, and is limited itself.
  const isExact = isPlain || filter.linkedTo !== undefined;
  const rows = list.count(isExact ? 'all' : `${MAX_COUNTED_CONTENTS + 1}`);
  const sql = isPlain ? countAll(bindings.collectionId) : `select count(*) as count from (${rows}) rows`;
  const row = await queryOne<{ count: number }>(database, sql, { ...bindings, afterUs: null, afterId: null });
  return boundedCount(row?.count ?? 0, isExact ? Infinity : MAX_COUNTED_CONTENTS);
}

/** The sum that the database keeps, less what several collections have together. */
function countAll(collectionId: string | undefined): string {
  if (collectionId !== undefined) {
    const counted = (id: string) => `${id} = :collectionId and ${COLLECTION_IN_SCOPE}`;
    return `select coalesce(sum(contents), 0)::bigint as count from (${collectionCounts(counted, 'all')}) counts`;
  }
  return `select coalesce(sum(contents), 0)::bigint - (
      select count(*) - count(distinct cc.content_id) from content_collections cc
      where cc.workspace_id = :workspaceId and cc.is_shared and ${LINK_IN_SCOPE}) as count
    from (${collectionCounts(ANY_IN_SCOPE, 'all')}) counts`;
}

function listFor(scope: Scope, filter: ContentFilter) {
  const { status, search, linkedTo } = filter;
  // A scope of one collection lists the contents of that collection.
  const collectionId = filter.collectionId ?? (scope.collectionIds?.length === 1 ? scope.collectionIds[0] : undefined);
  const isWorking = isInProgress(status);
  const bindings = {
    ...scope,
    collectionId,
    status,
    search,
    linkedTo,
    bucket: isWorking ? 'working' : status,
  };
  return { list: listOfFilter(scope, { ...filter, collectionId }), bindings };
}

function listOfFilter(scope: Scope, { collectionId, status, search, linkedTo }: ContentFilter): ContentList {
  const dense = collectionId === undefined ? WORKSPACE_LIST : COLLECTION_LIST;
  // Entries of an archive and pages of a crawl have an index of their own.
  if (linkedTo !== undefined) return dense;
  if (status !== undefined && status !== 'ready') return statusList(scope, { collectionId, status, search });
  if (collectionId !== undefined || scope.collectionIds === null) return dense;
  return scopeList(status === undefined && search === undefined ? null : MATCHING);
}

function isInProgress(status: string | undefined): boolean {
  return STAGE_ORDER.some((stage) => stage === status);
}
