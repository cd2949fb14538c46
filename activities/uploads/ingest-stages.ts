import type { IndexQueue } from './index-queue.ts';
import type { Ingestion } from './ingestion.ts';
import type { Publisher } from './publish-contents.ts';

/** The stages of an ingestion: documents are read while others are indexed, and each is published when it is complete. */
export type IngestStages = {
  ingestion: Ingestion;
  indexing: IndexQueue;
  publisher: Publisher;
  /** Aborted when indexing has failed: what is still being read is given up. */
  failing: AbortSignal;
  /** Contents that this attempt has claimed, and not given back since. */
  claimed: Set<string>;
};
