import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { UploadList, UploadSummary } from '#domain/records/uploads/upload-list.ts';
import type { UploadStatus } from '#domain/statuses.ts';
import type { CrawlSummary } from '#store/crawls/crawls.ts';
import type { ListedUpload, UploadPage } from '#store/uploads/upload-lists.ts';
import type { NewestQuery } from '#operations/list-newest.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { deriveUploadState } from './derive-upload-state.ts';

export type ListUploadsQuery = NewestQuery & { collection_id?: string | undefined; status?: UploadStatus | undefined };

/** The status of an upload follows from its contents, so those with a status are looked for among this many at a time, this often. */
const LOOKED_AT = 500;
const MAX_LOOKS = 20;

/**
 * Returns a page of the uploads that the caller reaches, newest first. A page of uploads with a status can have fewer than `limit`
 * while others follow, and none only when ten thousand in a row have another status.
 * @throws AppError `validation_failed` for a cursor of another list.
 */
export async function listUploads(services: Services, caller: Caller, query: ListUploadsQuery): Promise<UploadList> {
  const { collection_id: collectionId, status, limit } = query;
  const binding = { list: 'uploads', filters: { collectionId, status } };
  let before = decodeTimeCursor(binding, query.cursor);
  for (let looks = 1; ; looks += 1) {
    const looked = status === undefined ? limit : Math.max(limit, LOOKED_AT);
    const { rows, hasMore } = await readUploads(services, caller, { collectionId, before, limit: looked });
    const matching = rows.filter(({ upload }) => status === undefined || upload.status === status);
    const isCut = matching.length > limit;
    const shown = matching.slice(0, limit);
    // What was looked at and does not match is not looked at again.
    const end = isCut ? shown.slice(-1) : rows.slice(-1);
    const { next } = paginate(
      { rows: end, hasMore: isCut || hasMore },
      { binding, positionOf: ({ position }) => [position.createdUs, position.id] },
    );
    if (shown.length > 0 || !next.has_more || looks === MAX_LOOKS)
      return { data: shown.map(({ upload }) => upload), ...next };
    before = end[0]?.position ?? null;
  }
}

async function readUploads({ stores }: Services, { scope }: Caller, page: UploadPage) {
  const { rows, hasMore } = await stores.uploadLists.list(scope, page);
  const ids = rows.map(({ id }) => id);
  const crawls = Map.groupBy(await stores.crawls.list(scope, ids), (crawl) => crawl.upload_id);
  const read = rows.map((row) => ({
    position: { createdUs: row.created_us, id: row.id },
    upload: toSummary(row, crawls.get(row.id) ?? []),
  }));
  return { rows: read, hasMore };
}

function toSummary(row: ListedUpload, crawls: readonly CrawlSummary[]): UploadSummary {
  const { counts, created_us: _createdUs, ...upload } = row;
  const { status, progress } = deriveUploadState(row, counts, crawls);
  return {
    ...upload,
    status,
    successful_uploads: row.total_uploads - row.failed_uploads,
    progress,
    crawls: crawls.length,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
