import type { ErrorCode } from '#domain/app-error.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { isSkipReason, SKIP_REASONS } from './crawl-reasons.ts';
import { errorMeaning } from '#domain/error-meanings.ts';
import type { BatchPlan } from '#domain/uploads/batch-outcome.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/**
 * Id, arguments and activities of the crawl workflow. They carry ids and counts only, never a URL. Workflows import this file:
 * no zod, no I/O.
 */

/** `crawl_id` is also the `run_id` of the crawl's pages. */
export type CrawlArgs = { workspace_id: string; collection_id: string; upload_id: string; crawl_id: string };

/** Number of pages by state, and how often each reason occurred. */
export type CrawlCounts = {
  waiting: number;
  fetched: number;
  unchanged: number;
  failed: number;
  gone: number;
  skipped: number;
  /** Of failed and skipped pages, by `CrawlReason`; plain strings because they come from rows and workflow histories. */
  reasons: Record<string, number>;
};

/** Result of one time slice. Recorded in workflow histories, so its field names never change. */
export type CrawlSlice = {
  /** What the workflow does next: run another slice, wait until the crawl is resumed, or end the crawl. */
  fate: 'more' | 'paused' | 'over';
  /** How long to wait before the next slice, in milliseconds. */
  wait_ms: number;
  /** Batches of the pages fetched since `after`, to be ingested. */
  batches: BatchPlan['batches'];
  /** `after` of the next slice. */
  next: number;
  counts: CrawlCounts;
  max_pages: number;
};

export type CrawlSteps = {
  /** Fetches pages for at most 30 seconds. Fetched pages are committed one by one, so they survive a crash of the worker. */
  crawlSlice(slice: CrawlArgs & { after: number }): Promise<CrawlSlice>;
};

export type CrawlUpkeepSteps = {
  /** Pauses, resumes or cancels a crawl on a signal that an operator sent in the Temporal UI. */
  controlCrawl(control: CrawlArgs & { action: ControlAction }): Promise<void>;
  /** Ends a crawl: gives remaining pages their final state, marks pages that vanished, and completes the outbox row. */
  endCrawl(
    end: CrawlArgs & { outbox_id: string; failure: { code: ErrorCode; message: string } | null },
  ): Promise<CrawlCounts>;
};

export const crawlWorkflowId = (crawlId: string) => `crawl/${crawlId}`;

/** The job that crawls a site from its start page. */
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

export const NO_COUNTS: CrawlCounts = {
  waiting: 0,
  fetched: 0,
  unchanged: 0,
  failed: 0,
  gone: 0,
  skipped: 0,
  reasons: {},
};

/** Returns the number of pages that count towards `max_pages`: those that have a content. */
export function countTaken({ fetched, unchanged, failed, gone }: CrawlCounts): number {
  return fetched + unchanged + failed + gone;
}

/** Formats counts as one line: `38 fetched, 2 unchanged, 1 failed, 12 skipped, 40 waiting`. */
export function describeCounts(counts: CrawlCounts): string {
  const parts = [`${counts.fetched} fetched`];
  if (counts.unchanged > 0) parts.push(`${counts.unchanged} unchanged`);
  if (counts.gone > 0) parts.push(`${counts.gone} gone`);
  parts.push(`${counts.failed} failed`, `${counts.skipped} skipped`, `${counts.waiting} waiting`);
  return parts.join(', ');
}

/** Formats the reasons of failed and skipped pages as a Markdown list, most frequent first; empty when there are none. */
export function describeReasons({ reasons }: CrawlCounts): string {
  return Object.entries(reasons)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `- ${count} × ${reason}: ${describeReason(reason)}`)
    .join('\n');
}

function describeReason(reason: string): string {
  return isSkipReason(reason) ? SKIP_REASONS[reason] : errorMeaning(reason).meaning;
}
