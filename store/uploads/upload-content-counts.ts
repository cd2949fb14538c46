import { uploadCounts } from '#store/collections/content-counts.ts';
import type { ContentStatus } from '#domain/statuses.ts';

/** The contents of an upload by status, and their published chunks. */
export type ContentCounts = { byStatus: Partial<Record<ContentStatus, number>>; chunks: number };

/** `all`: the chunks of all contents. */
export type StatusCount = { status: ContentStatus | 'all'; count: number; chunks: number };

/** One row for each content of the uploads that the condition selects; each is looked up, whatever the planner expects. */
const contentsWhere = (ofUploads: string, condition: string) => `
  select u.id as upload_id, case when cc.paused then 'paused' else cc.stage end as status, 1 as contents,
    cc.chunk_count as chunks
  from uploads u
  cross join lateral (select uc.content_id from upload_contents uc where uc.upload_id = u.id and ${condition} offset 0) uc
  cross join lateral (select * from content_collections cc
    where cc.content_id = uc.content_id and cc.collection_id = u.collection_id offset 0) cc
  where ${ofUploads} and u.workspace_id = :workspaceId`;

/**
 * Rows `(upload_id, status, contents, chunks)` whose sums are the counts of the contents of uploads. `where` is a condition on
 * the id of an upload. Of an upload with counts, only those contents are read whose run belongs to another upload.
 */
export function contentCounts(where: (id: string) => string): string {
  return `${uploadCounts(where)}
    union all ${contentsWhere(where('u.id'), 'not u.is_counted')}
    union all ${contentsWhere(where('u.id'), 'uc.is_foreign and u.is_counted')} and cc.upload_id is distinct from u.id`;
}

/** Brings the counts of one upload into one object. */
export function sumCounts(rows: readonly StatusCount[]): ContentCounts {
  const counted = rows.filter(({ status, count }) => status !== 'all' && count > 0);
  return {
    byStatus: Object.fromEntries(counted.map(({ status, count }) => [status, count])),
    chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0),
  };
}
