import type { Services } from '../operations/services.ts';
import type { PagePool } from '../providers/crawler/page-pool.ts';
import type { ReaderPool } from '../providers/readers/reader-pool.ts';
import type { Egress } from '../security/egress/egress.ts';

/** What steps work with: everything operations have, and the ways to documents. */
export type WorkerServices = Services & {
  documents: ReaderPool;
  /** Looks into what sites answer. */
  pages: PagePool;
  egress: Egress;
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
