/** Task queue names. Imported by workflows: no zod, no I/O. */
export const TASK_QUEUES = {
  /** Workflow tasks only. */
  workflows: 'loci-workflows',
  /** Downloads: they wait for others, so that many may be under way, and hold up no reading. */
  download: 'loci-download',
  /** Crawling: hardly more than waiting, for hosts to have their rest, so that it holds up no download. */
  crawl: 'loci-crawl',
  /** Reading and splitting: bounded by cores and by child processes. */
  ingest: 'loci-ingest',
  /** Embedding and index writes: bounded by the embedder. */
  index: 'loci-index',
  /** Compressing: bounded by threads, and by the patience of a chat model. */
  compress: 'loci-compress',
  /** Requests to providers of OAuth: they wait for others, and one that stalls holds up nothing else. */
  oauth: 'loci-oauth',
  /** Webhooks: they wait for receivers, of which some never answer. */
  webhooks: 'loci-webhooks',
  /** Deletions, reprojection, sweeps, bookkeeping: short, never behind an ingestion. */
  upkeep: 'loci-upkeep',
} as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];
