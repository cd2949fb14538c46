import { reachedOf, type Scope } from '#domain/access/scope.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { bindPosition, newestIds, type ListPart, type NewestPage } from '#store/newest-rows.ts';
import { pageOf, type Page } from '#store/page.ts';
import { query, type Database } from '#store/postgres.ts';
import { type ContentCounts, contentCounts, type StatusCount, sumCounts } from './upload-content-counts.ts';
import type { UploadRow } from './uploads.ts';

/**
 * An upload in a list: with the name of its first content that its collection still has, the counts of its contents, and its
 * position.
 */
export type ListedUpload = Omit<UploadRow, 'errors' | 'ingest'> & {
  name: string | null;
  counts: ContentCounts;
  created_us: number;
};

export type UploadPage = NewestPage & { collectionId?: string | undefined };

type Row = Omit<ListedUpload, 'counts'> & { counts: StatusCount[] };

const OF_WORKSPACE: ListPart = {
  from: '(select) whole',
  where: `r.workspace_id = :workspaceId and ${notDeleting('r.collection_id')}`,
};
const OF_COLLECTIONS: ListPart = {
  from: `(select id from collections where id = any(:collections::uuid[]) and workspace_id = :workspaceId
      and status <> 'deleting' offset 0) c`,
  where: 'r.collection_id = c.id and r.workspace_id = :workspaceId',
};

/** Newest first. The counts are summed up for all uploads of the page at once. */
const list = (part: ListPart) => `
  with listed as materialized (
    select u.id, u.workspace_id, u.collection_id, u.content_type, u.workflow_id, u.total_uploads, u.failed_uploads, u.created_at,
      u.updated_at, (extract(epoch from u.created_at) * 1000000)::bigint as created_us
    from (${newestIds('uploads', [part])}) page cross join lateral (select * from uploads where id = listed_id offset 0) u
  ), counts as materialized (
    select upload_id, jsonb_agg(jsonb_build_object('status', status, 'count', contents, 'chunks', chunks)) as counts from (
      select upload_id, status, sum(contents) as contents, sum(chunks) as chunks
      from (${contentCounts((id) => `${id} = any(array(select id from listed))`)}) parts group by upload_id, status
    ) sums group by upload_id
  )
  select l.*, first.name, coalesce(c.counts, '[]') as counts from listed l left join counts c on c.upload_id = l.id
  left join lateral (select t.name from upload_contents uc join contents t on t.id = uc.content_id
    where uc.upload_id = l.id and exists (
      select from content_collections cc where cc.content_id = uc.content_id and cc.collection_id = l.collection_id)
    order by uc.content_id limit 1) first on true
  order by l.created_at desc, l.id desc`;

/** Lists of uploads. */
export function createUploadLists(database: Database) {
  return {
    /** Returns a page of the uploads into collections in scope, newest first. */
    async list(scope: Scope, { collectionId, before, limit }: UploadPage): Promise<Page<ListedUpload>> {
      const { workspaceId } = scope;
      const collections = reachedOf(scope, collectionId);
      const sql = list(collections === null ? OF_WORKSPACE : OF_COLLECTIONS);
      const bindings = { workspaceId, collections, ...bindPosition(before), pageLimit: limit };
      const rows = await query<Row>(database, sql, bindings);
      return pageOf(
        rows.map(({ counts, ...row }) => ({ ...row, counts: sumCounts(counts) })),
        limit,
      );
    },
  };
}

export type UploadLists = ReturnType<typeof createUploadLists>;
