import { notDeleting } from '#store/collections/not-deleting.ts';

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

/** Of a place in the list, `cc`. Requires the bindings of a cursor. */
export const AFTER_PLACE = `(:afterUs::bigint is null
  or (cc.created_at, cc.content_id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))`;

/**
 * A content in several collections of the scope is listed in the one of which it has its status: its home collection, or else the
 * one into which it came first.
 */
export const SHOWN_LINK = `(not cc.is_shared or cc.collection_id = (
  select o.collection_id from content_collections o join contents home on home.id = o.content_id
  where o.content_id = cc.content_id and (:collectionIds::uuid[] is null or o.collection_id = any(:collectionIds::uuid[]))
    and ${notDeleting('o.collection_id')}
  order by o.collection_id <> home.collection_id, o.created_at, o.collection_id limit 1))`;

/**
 * Selects the first places (`content_id`, `collection_id`, `created_at`) of a list of the contents of several collections, in the
 * order in which they came into them, up to `limit`. Each collection has an index in that order. Only those collections can have
 * a content among the first whose own first contents come first: these are found, and of each no more than `limit` is read.
 */
export function mergedPlaces(merge: Merge, limit: string): string {
  const next = (count: string) => `
    select cc.content_id, cc.collection_id, cc.created_at from content_collections cc
    ${readContents(merge)}
    where cc.collection_id = place.id and cc.workspace_id = :workspaceId and ${AFTER_PLACE} and ${conditionOf(merge)}
    order by cc.created_at, cc.content_id limit ${count}`;
  return `select cc.* from (
      select place.id from (${merge.collections}) place cross join lateral (${next('1')}) cc
      order by cc.created_at, cc.content_id limit ${limit}
    ) place cross join lateral (${next(limit)}) cc order by cc.created_at, cc.content_id limit ${limit}`;
}

/** Selects the first places of a list of the contents of the whole workspace, whose `links` have an index in this order. */
export function workspacePlaces(merge: Omit<Merge, 'collections'>, limit: string): string {
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
