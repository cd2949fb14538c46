import type { WebhookServices } from '../operations/attempt-delivery.ts';
import type { PagePool } from '../providers/crawler/page-pool.ts';
import type { ReaderPool } from '../providers/readers/reader-pool.ts';

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
};
