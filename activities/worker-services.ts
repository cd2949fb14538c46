import type { WebhookServices } from '../operations/attempt-delivery.ts';
import type { ReaderPool } from '../providers/readers/reader-pool.ts';

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
  downloads: { maxBytes: number; totalTimeoutMs: number };
  archives: ArchiveLimits;
};
