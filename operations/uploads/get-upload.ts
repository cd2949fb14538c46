import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { UploadCrawl, UploadProgress } from '#domain/records/upload.ts';
import type { Scope } from '#domain/access/scope.ts';
import { isSettled, type ContentStatus, type UploadStatus } from '#domain/statuses.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { CrawlSummary } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import type { UploadRow } from '#store/uploads/uploads.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';

export type GetUploadQuery = { uploadId: string; limit: number; cursor?: string | undefined };

/**
 * Returns the progress of an upload and a page of its manifest. @throws AppError `not_found`; `validation_failed` for a cursor of
 * another list.
 */
export async function getUpload(services: Services, caller: Caller, query: GetUploadQuery): Promise<UploadProgress> {
  const { scope } = caller;
  const { stores } = services;
  const { uploads } = stores;
  const binding = { list: 'upload-contents', filters: { upload: query.uploadId } };
  const [after] = decodePosition(binding, query.cursor, z.tuple([z.uuid()])) ?? [null];
  const upload = await uploads.find(scope, query.uploadId);
  if (!upload) throw uploadNotFound();
  // Sequential, because this may run in a transaction, which has one connection.
  const { status, progress, crawls } = await uploadState(stores, scope, upload);
  const rows = await uploads.manifest(scope, upload.id, { after, limit: query.limit });
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.content_id] });
  return {
    id: upload.id,
    collection_id: upload.collection_id,
    workspace_id: upload.workspace_id,
    status,
    content_type: upload.content_type,
    workflow_id: upload.workflow_id,
    total_uploads: upload.total_uploads,
    successful_uploads: upload.total_uploads - upload.failed_uploads,
    failed_uploads: upload.failed_uploads,
    progress,
    crawls,
    errors: upload.errors,
    contents: page,
    ...next,
    created_at: upload.created_at.toISOString(),
    updated_at: upload.updated_at.toISOString(),
  };
}

/** Derives the status and progress of an upload from its contents and crawls. */
export async function uploadState(
  stores: Stores,
  scope: Scope,
  upload: UploadRow,
): Promise<Pick<UploadProgress, 'status' | 'progress' | 'crawls'>> {
  const { byStatus, chunks } = await stores.uploads.progress(scope, upload.id);
  const crawls = (await stores.crawls.list(scope, upload.id)).map(toCrawl);
  const counts = countsOf(byStatus);
  const total = crawls.reduce((sum, crawl) => sum + pagesToCome(crawl), counts.total);
  const percent = total === 0 ? 100 : Math.floor((counts.settled * 1000) / total) / 10;
  return {
    status: statusOf(upload, byStatus, crawls),
    progress: { total, settled: counts.settled, by_status: byStatus, chunks, percent },
    crawls,
  };
}

export function uploadNotFound(): AppError {
  return new AppError('not_found', 'There is no such upload, or this key does not reach its collection.');
}

type ByStatus = Partial<Record<ContentStatus, number>>;

function countsOf(byStatus: ByStatus): { total: number; settled: number } {
  let total = 0;
  let settled = 0;
  for (const [status, count] of Object.entries(byStatus)) {
    total += count;
    // The keys of the record are statuses.
    if (isSettled(status as ContentStatus)) settled += count;
  }
  return { total, settled };
}

/** Pages that a running crawl still expects to fetch, at least one: until it has ended it may find more. */
function pagesToCome({ status, pages, max_pages }: UploadCrawl): number {
  if (status !== 'running' && status !== 'paused') return 0;
  const taken = pages.fetched + pages.unchanged + pages.failed + pages.gone;
  return Math.max(Math.min(pages.waiting, max_pages - taken), 1);
}

function toCrawl({
  id,
  start_url,
  start_content_id,
  state,
  paused,
  message,
  counts,
  ...limits
}: CrawlSummary): UploadCrawl {
  const { reasons, ...pages } = counts;
  return {
    id,
    url: urlForDisplay(start_url),
    content_id: start_content_id,
    status: paused ? 'paused' : state,
    status_message: message,
    workflow_id: crawlWorkflowId(id),
    max_pages: limits.max_pages,
    max_depth: limits.max_depth,
    pages,
    reasons,
  };
}

/** Derives the status of an upload from its contents and crawls, so that it cannot contradict them. */
function statusOf(upload: UploadRow, byStatus: ByStatus, crawls: readonly UploadCrawl[]): UploadStatus {
  const { total, settled } = countsOf(byStatus);
  const count = (status: ContentStatus) => byStatus[status] ?? 0;
  const openCrawls = crawls.filter(({ status }) => status === 'running' || status === 'paused');
  if (openCrawls.some(({ status }) => status === 'running')) return 'running';
  if (openCrawls.length > 0 && count('paused') === total - settled) return 'paused';
  if (settled < total) return count('paused') === total - settled ? 'paused' : 'running';
  if (total > 0 && count('stored') === total) return 'stored';
  if (total > 0 && count('cancelled') === total) return 'cancelled';
  if (total > 0 && count('failed') === total) return 'failed';
  return count('failed') + count('cancelled') + upload.failed_uploads > 0 ? 'completed_with_errors' : 'completed';
}
