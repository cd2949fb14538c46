import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { pageOf, type Page } from '#store/page.ts';
import { query, type Database } from '#store/postgres.ts';
import { type ContentCounts, contentCounts, type StatusCount, sumCounts } from './upload-content-counts.ts';
import type { UploadRow } from './uploads.ts';

/** An upload in a list: with the name of its first content that is left, the counts of its contents, and its position. */
export type ListedUpload = Omit<UploadRow, 'errors' | 'ingest'> & {
  name: string | null;
  counts: ContentCounts;
  created_us: number;
};

export type UploadPage = { collectionId?: string | undefined; before: TimePosition | null; limit: number };

type Row = Omit<ListedUpload, 'counts'> & { counts: StatusCount[] };

const newest = (ofCollections: string) => `
    select u.id, u.workspace_id, u.collection_id, u.content_type, u.workflow_id, u.total_uploads, u.failed_uploads, u.created_at,
      u.updated_at, (extract(epoch from u.created_at) * 1000000)::bigint as created_us
    from uploads u where u.workspace_id = :workspaceId and ${ofCollections}
      and (:beforeUs::bigint is null
        or (u.created_at, u.id) < (to_timestamp(0) + :beforeUs * interval '1 microsecond', :beforeId::uuid))
    order by u.created_at desc, u.id desc limit :limit`;

const OF_WORKSPACE = newest(notDeleting('u.collection_id'));

/** Reads no more than a page of each collection, in the order of its index. */
const OF_COLLECTIONS = `select one.* from (
    select c.id from collections c where c.id = any(:collections::uuid[]) and c.workspace_id = :workspaceId
      and c.status <> 'deleting' offset 0
  ) c cross join lateral (${newest('u.collection_id = c.id')}) one order by one.created_at desc, one.id desc limit :limit`;

/** Newest first. The counts are summed up for all uploads of the page at once. */
const list = (uploads: string) => `
  with listed as materialized (${uploads}), counts as materialized (
    select upload_id, jsonb_agg(jsonb_build_object('status', status, 'count', contents, 'chunks', chunks)) as counts from (
      select upload_id, status, sum(contents) as contents, sum(chunks) as chunks
      from (${contentCounts((id) => `${id} = any(array(select id from listed))`)}) parts group by upload_id, status
    ) sums group by upload_id
  )
  select l.*, first.name, coalesce(c.counts, '[]') as counts from listed l left join counts c on c.upload_id = l.id
  left join lateral (select t.name from upload_contents uc join contents t on t.id = uc.content_id
    where uc.upload_id = l.id order by uc.content_id limit 1) first on true
  order by l.created_at desc, l.id desc`;

/** Lists of uploads. */
export function createUploadLists(database: Database) {
  return {
    /** Returns a page of the uploads into collections in scope, newest first. */
    async list(scope: Scope, { collectionId, before, limit }: UploadPage): Promise<Page<ListedUpload>> {
      const { workspaceId } = scope;
      const collections = collectionsOf(scope, collectionId);
      const sql = list(collections === null ? OF_WORKSPACE : OF_COLLECTIONS);
      const position = { beforeUs: before?.createdUs, beforeId: before?.id, limit: limit + 1 };
      const rows = await query<Row>(database, sql, { workspaceId, collections, ...position });
      return pageOf(
        rows.map(({ counts, ...row }) => ({ ...row, counts: sumCounts(counts) })),
        limit,
      );
    },
  };
}

export type UploadLists = ReturnType<typeof createUploadLists>;

/** The collections whose uploads are listed; null for all of the workspace. */
function collectionsOf({ collectionIds }: Scope, collectionId: string | undefined): readonly string[] | null {
  if (collectionId === undefined) return collectionIds;
  return collectionIds === null || collectionIds.includes(collectionId) ? [collectionId] : [];
}
