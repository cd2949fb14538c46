import { meaningOf } from '#domain/error-meanings.ts';
import type { BatchPlan } from '#domain/uploads/ingest-outcomes.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Workflow of a crawl: its id, arguments and steps. Ids and counts only, never an address. Imported by workflows: no zod, no I/O. */

/** `crawl_id` is also the id of the run that its pages get. */
export type CrawlArgs = { workspace_id: string; collection_id: string; upload_id: string; crawl_id: string };

/** Pages by what became of them, and how often which reason. */
export type CrawlCounts = {
  waiting: number;
  fetched: number;
  unchanged: number;
  failed: number;
  gone: number;
  skipped: number;
  /** Of pages that failed or were skipped. */
  reasons: Record<string, number>;
};

export type CrawlSlice = {
  /** `over`: there is nothing more to fetch. */
  fate: 'more' | 'paused' | 'over';
  /** Before the next slice makes sense. */
  wait_ms: number;
  /** Pages fetched since `after`, to be ingested. */
  batches: BatchPlan['batches'];
  /** Where the next slice goes on. */
  next: number;
  counts: CrawlCounts;
  max_pages: number;
};

export type CrawlSteps = {
  /** Fetches pages for at most half a minute; what was fetched is in rows when it returns, and so when it dies. */
  crawlSlice(slice: CrawlArgs & { after: number }): Promise<CrawlSlice>;
};

export type CrawlUpkeepSteps = {
  /** Pauses, resumes or cancels a crawl as an operator asked in the Temporal UI. */
  controlCrawl(control: CrawlArgs & { action: 'pause' | 'resume' | 'cancel' }): Promise<void>;
  /** Ends a crawl: what is left of it gets its last state, vanished pages are marked, the work leaves the outbox. */
  endCrawl(
    end: CrawlArgs & { outbox_id: string; failure: { code: string; message: string } | null },
  ): Promise<CrawlCounts>;
};

export const crawlWorkflowId = (crawlId: string) => `crawl/${crawlId}`;

/** Crawls a site from one page on. */
export function crawlSiteJob(args: CrawlArgs): JobStart {
  return {
    workflow_type: 'crawlSite',
    workflow_id: crawlWorkflowId(args.crawl_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Crawl a site for upload ${args.upload_id}`,
  };
}

/** Why a page was not taken, in words for people. Those of failures are codes with a meaning of their own. */
const SKIPPED: Readonly<Record<string, string>> = {
  robots: 'robots.txt does not allow it',
  noindex: 'the page asks not to be indexed',
  redirect: 'leads to another page of the site',
  off_site: 'leads to another site',
  redirects: 'redirects too often',
  canonical: 'says that another page is the original',
  type: 'of a type that is not taken',
  limit: 'beyond the number of pages asked for',
  empty: 'an empty answer',
  cancelled: 'cancelled by a request',
  deleted: 'its content was deleted',
  sitemap: 'a sitemap that could not be read',
  crawl_ended: 'the crawl ended before',
};

export const NO_COUNTS: CrawlCounts = {
  waiting: 0,
  fetched: 0,
  unchanged: 0,
  failed: 0,
  gone: 0,
  skipped: 0,
  reasons: {},
};

/** Pages that count towards the limit: each is a content. */
export function takenOf({ fetched, unchanged, failed, gone }: CrawlCounts): number {
  return fetched + unchanged + failed + gone;
}

/** One line for people: `38 fetched, 2 unchanged, 1 failed, 12 skipped, 40 waiting`. */
export function describeCounts(counts: CrawlCounts): string {
  const parts = [`${counts.fetched} fetched`];
  if (counts.unchanged > 0) parts.push(`${counts.unchanged} unchanged`);
  if (counts.gone > 0) parts.push(`${counts.gone} gone`);
  parts.push(`${counts.failed} failed`, `${counts.skipped} skipped`, `${counts.waiting} waiting`);
  return parts.join(', ');
}

/** A Markdown list of why pages failed or were skipped; the most frequent reason first. Empty when there is none. */
export function describeReasons({ reasons }: CrawlCounts): string {
  return Object.entries(reasons)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `- ${count} × ${reason}: ${SKIPPED[reason] ?? meaningOf(reason).meaning}`)
    .join('\n');
}
