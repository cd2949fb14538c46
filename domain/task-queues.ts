/** Task queue names. Imported by workflows: no zod, no I/O. */
export const TASK_QUEUES = {
  /** Workflow tasks only. */
  workflows: 'loci-workflows',
  /** Downloads: they mostly wait, so that many can run at once, and they do not delay reading. */
  download: 'loci-download',
  /** Crawling: mostly waits between two requests to a host, so it has a queue apart from downloads. */
  crawl: 'loci-crawl',
  /** Small uploads, which somebody waits for: they never wait behind bulk work. */
  express: 'loci-express',
  /** Ingestion of everything else, in time slices: child processes, embedder and index are shared within the worker. */
  ingest: 'loci-ingest',
  /** Reindexing and changed filter fields. */
  index: 'loci-index',
  /** Compression: limited by threads and by the speed of the chat model. */
  compress: 'loci-compress',
  /** Requests to OAuth providers: a provider that stalls does not delay other work. */
  oauth: 'loci-oauth',
  /** Webhooks: they wait for receivers, some of which never respond. */
  webhooks: 'loci-webhooks',
  /** Summaries and memories of conversations: they wait for the chat model, which may not answer for long. */
  conversations: 'loci-conversations',
  /** Deletions, reprojection and clean-up: short activities that never wait behind an ingestion, or for a model. */
  upkeep: 'loci-upkeep',
} as const;
export type TaskQueue = (typeof TASK_QUEUES)[keyof typeof TASK_QUEUES];

/** Tasks that no worker has taken yet, and the workers that have asked for some within the last minutes. */
export type QueueBacklog = { queue: keyof typeof TASK_QUEUES; tasks: number; oldestAgeMs: number; pollers: number };
