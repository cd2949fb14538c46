import type { WebhookServices } from '#operations/webhooks/attempt-delivery.ts';
import type { PagePool } from '#providers/crawler/page-pool.ts';
import type { ReaderPool } from '#providers/readers/reader-pool.ts';

/** How much is unpacked of an uploaded archive or message, with all that is packed inside. */
export type ArchiveLimits = {
  maxEntries: number;
  maxBytes: number;
  /** Times the size of what was uploaded. */
  maxRatio: number;
  /** How deep archives and messages are unpacked that lie in one another. */
  maxDepth: number;
};

/** What steps work with: everything operations have, and the ways to documents. */
export type WorkerServices = WebhookServices & {
  documents: ReaderPool;
  /** Looks into what sites answer. */
  pages: PagePool;
  downloads: { maxBytes: number; totalTimeoutMs: number };
  crawling: {
    userAgent: string;
    /** Between two requests to a host; its robots.txt may ask for more, up to `maxDelayMs`. */
    delayMs: number;
    maxDelayMs: number;
    pageTimeoutMs: number;
    maxPageBytes: number;
    /** Most pages of one path that differ in their query. */
    queriesOfPath: number;
  };
  archives: ArchiveLimits;
};
