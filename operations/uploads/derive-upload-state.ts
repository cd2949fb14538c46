import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import type { UploadCrawl, UploadProgress } from '#domain/records/upload.ts';
import { isSettled, type ContentStatus, type UploadStatus } from '#domain/statuses.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { CrawlSummary } from '#store/crawls/crawls.ts';

export type UploadState = Pick<UploadProgress, 'status' | 'progress' | 'crawls'>;

/** Derives the status and progress of an upload from its contents and crawls. */
export function deriveUploadState(
  upload: { failed_uploads: number },
  { byStatus, chunks }: { byStatus: ByStatus; chunks: number },
  summaries: readonly CrawlSummary[],
): UploadState {
  const crawls = summaries.map(toCrawl);
  const counts = countsOf(byStatus);
  const total = crawls.reduce((sum, crawl) => sum + pagesToCome(crawl), counts.total);
  const percent = total === 0 ? 100 : Math.floor((counts.settled * 1000) / total) / 10;
  return {
    status: statusOf(upload.failed_uploads, byStatus, crawls),
    progress: { total, settled: counts.settled, by_status: byStatus, chunks, percent },
    crawls,
  };
}

type ByStatus = Partial<Record<ContentStatus, number>>;

/** True while contents of the upload are in progress or paused, or a crawl of it goes on. */
export function hasOpenWork({ status }: Pick<UploadState, 'status'>): boolean {
  return status === 'running' || status === 'paused';
}

/** Contents that are being deleted count no longer, as once they are deleted. */
function countsOf(byStatus: ByStatus): { total: number; settled: number } {
  let total = 0;
  let settled = 0;
  for (const [status, count] of Object.entries(byStatus)) {
    if (status === 'deleting') continue;
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
function statusOf(failedUploads: number, byStatus: ByStatus, crawls: readonly UploadCrawl[]): UploadStatus {
  const { total, settled } = countsOf(byStatus);
  const count = (status: ContentStatus) => byStatus[status] ?? 0;
  const openCrawls = crawls.filter(({ status }) => status === 'running' || status === 'paused');
  if (openCrawls.some(({ status }) => status === 'running')) return 'running';
  if (openCrawls.length > 0 && count('paused') === total - settled) return 'paused';
  if (settled < total) return count('paused') === total - settled ? 'paused' : 'running';
  if (total > 0 && count('stored') === total) return 'stored';
  if (total > 0 && count('cancelled') === total) return 'cancelled';
  if (total > 0 && count('failed') === total) return 'failed';
  return count('failed') + count('cancelled') + failedUploads > 0 ? 'completed_with_errors' : 'completed';
}
