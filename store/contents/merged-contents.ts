import { notDeleting } from '#store/collections/not-deleting.ts';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What a list of contents is merged from. All fields are SQL. */
export type Merge = {
  /** Selects the ids of collections, as `id`. */
  collections: string;
  /** Condition on `content_collections cc`. */
  links: string;
  /** Condition on `contents t` and `seen`; null when there is none, so that only contents of the page are read. */
  contents: string | null;
  /** Columns of `seen`. */
  seen: string;
};

/**
 * The ids of the scope, for a statement that begins with it. A key can be limited to a thousand collections: their ids are sent
 * once, and hidden from the planner, which would look up each in its statistics, for longer than the list takes.
 */
export const WITH_SCOPE = 'with scope as materialized (select :collectionIds::uuid[] as ids)';

/** Selects the ids of the collections of a scope that names them. Requires `WITH_SCOPE`. */
export const IN_SCOPE = `select x.id from scope cross join lateral unnest(scope.ids) x(id) where ${notDeleting('x.id')}`;

/** Condition on the collection of a link, whether the scope names collections or not. Requires `WITH_SCOPE`. */
export const linkInScope = (link: string): string => `((select ids from scope) is null
    or ${link}.collection_id in (select unnest(ids) from scope)) and ${notDeleting(`${link}.collection_id`)}`;

/**
 * Of a place in the list, `cc`. Requires the bindings of a cursor. One comparison without `or`, so that prepared plans use the
 * index, and without `coalesce`, which Postgres does not take for leakproof: under row security it would read the rows first.
 */
export const AFTER_PLACE = after('cc.created_at, cc.content_id');

function after(place: string): string {
  return `(${place}) > (
    case when :afterUs::bigint is null then '-infinity' else to_timestamp(0) + :afterUs::bigint * interval '1 microsecond' end,
    case when :afterId::uuid is null then '${FIRST_ID}'::uuid else :afterId::uuid end)`;
}

/**
 * A content in several collections of the scope is listed in the one of which it has its status: its home collection, or else the
 * one into which it came first.
 */
export const SHOWN_LINK = `(not cc.is_shared or cc.collection_id = (
  select o.collection_id from content_collections o join contents home on home.id = o.content_id
  where o.content_id = cc.content_id and ${linkInScope('o')}
  order by o.collection_id <> home.collection_id, o.created_at, o.collection_id limit 1))`;

/**
 * Selects the first places (`content_id`, `collection_id`, `created_at`) of a list of the contents of several collections, in the
 * order in which they came into them, up to `limit`. Each collection has an index in that order. A few places of each are read
 * first, `:headPlaces` (see `headPlacesOf`). Of these in order, the one at `limit` is a bound of the list: the rest of each
 * collection is read up to it only.
 */
export function mergedPlaces(merge: Merge, limit: string): string {
  const next = (condition: string, count: string) => `
    select cc.content_id, cc.collection_id, cc.created_at from content_collections cc
    ${readContents(merge)}
    where cc.collection_id = place.id and cc.workspace_id = :workspaceId and ${condition} and ${conditionOf(merge)}
    order by cc.created_at, cc.content_id limit ${count}`;
  return `with heads as materialized (
      select cc.*, row_number() over (partition by cc.collection_id order by cc.created_at, cc.content_id) as number
      from (${merge.collections}) place cross join lateral (${next(AFTER_PLACE, ':headPlaces::bigint')}) cc
    ), bound as materialized (
      select coalesce(b.created_at, 'infinity') as created_at, coalesce(b.content_id, '${LAST_ID}') as content_id
      from (values (1)) one left join lateral (
        select created_at, content_id from heads order by created_at, content_id offset ${limit} - 1 limit 1) b on true
    )
    select content_id, collection_id, created_at from heads union all
    select cc.* from (
      select collection_id as id, created_at, content_id from heads where number = :headPlaces and ${UP_TO_BOUND('heads')}
    ) place cross join lateral (${next(
      `(cc.created_at, cc.content_id) > (place.created_at, place.content_id)
      and ${UP_TO_BOUND('cc')}`,
      limit,
    )}) cc
    order by created_at, content_id limit ${limit}`;
}

/** Condition on a place. Scalar subqueries can be conditions of an index. */
const UP_TO_BOUND = (place: string): string =>
  `(${place}.created_at, ${place}.content_id) <= ((select created_at from bound), (select content_id from bound))`;

/** The number of places that are read of each collection at first: together twice as many as are asked for. */
export function headPlacesOf(collections: number, limit: number): number {
  return Math.min(limit, Math.ceil((2 * limit) / Math.max(1, collections)));
}

/**
 * Common table expressions after `WITH_SCOPE`: `near`, the places up to a guess, and `filled`, whether `near` begins the list
 * with at least `limit` places. Looking into each of a thousand collections takes longer than all else; one scan of the index
 * finds the places of a short range of time in all of them. The guess is when the contents of the workspace whose home is in
 * the scope come to `limit`. It reads no more contents than there are collections, which costs less than the looks that it
 * saves. It need not be right: contents come into other collections later than into their home, so that the range can have too
 * many places, or too few. `is true` keeps the planner from a join, in which it compares each content with each id.
 */
export function placesNear(limit: string): string {
  const most = `(select cardinality(ids) from scope) + ${limit}`;
  return `, guess as materialized (
      select created_at, id from (
        select t.created_at, t.id, t.collection_id from contents t
        where t.workspace_id = :workspaceId and ${after('t.created_at, t.id')}
        order by t.created_at, t.id limit (select cardinality(ids) from scope)) t
      where (collection_id in (select unnest(ids) from scope)) is true order by created_at, id offset ${limit} - 1 limit 1
    ), links_near as materialized (
      select cc.content_id, cc.collection_id, cc.created_at, cc.is_shared from content_collections cc
      where cc.collection_id = any((select ids from scope)::uuid[]) and cc.workspace_id = :workspaceId and ${AFTER_PLACE}
        and (cc.created_at, cc.content_id) <= ((select created_at from guess), (select id from guess))
        and ${notDeleting('cc.collection_id')} limit ${most}
    ), near as materialized (
      select cc.content_id, cc.collection_id, cc.created_at from links_near cc where ${SHOWN_LINK}
    ), filled as materialized (
      select (select count(*) from links_near) < ${most} and (select count(*) from near) >= ${limit} as is_filled
    )`;
}

/** Selects the first places of a list whose `links`, of the whole workspace or of one collection, have an index in this order. */
export function placesInOrder(merge: Omit<Merge, 'collections'>, limit: string): string {
  return `select cc.content_id, cc.collection_id, cc.created_at from content_collections cc
    ${readContents(merge)}
    where cc.workspace_id = :workspaceId and ${notDeleting('cc.collection_id')} and ${AFTER_PLACE} and ${conditionOf(merge)}
    order by cc.created_at, cc.content_id limit ${limit}`;
}

/** Selects up to `limit` places of the list, in any order. */
export function anyPlaces(merge: Merge, limit: string): string {
  return `select cc.content_id, cc.collection_id, cc.created_at from (${merge.collections}) place
    cross join lateral (select * from content_collections cc
      where cc.collection_id = place.id and cc.workspace_id = :workspaceId and ${merge.links} offset 0) cc
    ${readContents(merge)} ${merge.contents === null ? '' : `where ${merge.contents}`} limit ${limit}`;
}

function readContents({ contents, seen }: Omit<Merge, 'collections'>): string {
  if (contents === null) return '';
  return `cross join lateral (select * from contents where id = cc.content_id offset 0) t
    cross join lateral (select ${seen}) seen`;
}

function conditionOf({ links, contents }: Omit<Merge, 'collections'>): string {
  return contents === null ? links : `${links} and ${contents}`;
}
