import type { WebhookServices } from '../operations/attempt-delivery.ts';
import type { ReaderPool } from '../providers/readers/reader-pool.ts';

/** What steps work with: everything operations have, and the ways to documents. */
export type WorkerServices = WebhookServices & {
  documents: ReaderPool;
  downloads: { maxBytes: number; totalTimeoutMs: number };
};
