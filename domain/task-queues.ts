/** Task queue names. Imported by workflows: no zod, no I/O. */
export const TASK_QUEUES = {
  /** Workflow tasks only. */
  workflows: 'loci-workflows',
  /** Downloads, reading and splitting: bounded by cores and by child processes. */
  ingest: 'loci-ingest',
  /** Embedding and index writes: bounded by the embedder. */
  index: 'loci-index',
  /** Deletions, reprojection, sweeps, bookkeeping: short, never behind an ingestion. */
  upkeep: 'loci-upkeep',
} as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];
