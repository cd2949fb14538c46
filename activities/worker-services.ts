import type { FairSlots } from '#domain/fair-slots.ts';
import type { WebhookServices } from '#operations/webhooks/webhook-services.ts';
import type { PagePool } from '#providers/crawler/page-pool.ts';
import type { ReaderPool } from '#providers/readers/reader-pool.ts';

/** Limits for unpacking an uploaded archive or e-mail, including everything nested in it. */
export type ArchiveLimits = {
  maxEntries: number;
  maxBytes: number;
  /** Maximum unpacked bytes, as a multiple of the size of the uploaded file. */
  maxRatio: number;
  /** Maximum nesting depth of archives and e-mails. */
  maxDepth: number;
};

/** The services of activities: those of operations, and the child processes that read documents and pages. */
export type WorkerServices = WebhookServices & {
  documents: ReaderPool;
  /** Parses pages that sites return. */
  pages: PagePool;
  /** `places`: one for each batch that downloads; some are never those of the same workspace. */
  downloads: { maxBytes: number; totalTimeoutMs: number; places: FairSlots };
  crawling: {
    userAgent: string;
    /** Delay between two requests to a host. Its robots.txt may require more, up to `maxDelayMs`. */
    delayMs: number;
    maxDelayMs: number;
    pageTimeoutMs: number;
    maxPageBytes: number;
    /** Maximum pages with the same path and different query strings. */
    queriesOfPath: number;
  };
  archives: ArchiveLimits;
};
