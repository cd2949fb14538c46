import type { Services } from '../operations/services.ts';
import type { ReaderPool } from '../providers/readers/reader-pool.ts';
import type { Egress } from '../security/egress/egress.ts';

/** What steps work with: everything operations have, and the ways to documents. */
export type WorkerServices = Services & {
  documents: ReaderPool;
  egress: Egress;
  downloads: { maxBytes: number; totalTimeoutMs: number };
};
