import type { Blobs } from '#domain/blob-store.ts';
import type { AccessCounter } from '#operations/contents/access-counter.ts';
import type { TenantActivity } from '#operations/index/tenant-activity.ts';
import type { StartedWorkflows } from '#operations/jobs/started-workflows.ts';
import type { MemoryIndexer } from '#operations/memories/memory-indexer.ts';
import type { ChatModel } from '#domain/chat-model.ts';
import type { Compressors } from '#domain/compression/compressor.ts';
import type { Clock } from '#domain/clock.ts';
import type { Embedder, EmbeddingSpace, NamedEmbedder } from '#domain/embedder.ts';
import type { FairSlots } from '#domain/fair-slots.ts';
import type { Jobs } from '#domain/jobs.ts';
import type { ModelCatalogue } from '#domain/model-catalogue.ts';
import type { ServiceSetting } from '#domain/records/access/service-facts.ts';
import type { Reranker } from '#domain/reranker.ts';
import type { TokenRequester } from '#domain/connections/token-requester.ts';
import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';
import type { ChatCircuits } from '#providers/models/chat-circuits.ts';
import type { KeyRing } from '#security/key-ring.ts';
import type { ListReads } from '#store/list-reads.ts';
import type { Stores } from '#store/stores.ts';
import type { VectorIndex } from '#store/weaviate/vector-index.ts';

/** The embedders of this process: the default one, further ones, and `lexical`, which is always available. */
export type Embedders = {
  /** The default embedder, used for memories, and for new collections that do not name one. */
  readonly preferred: Embedder;
  /** All of them, the default one first. */
  readonly all: readonly NamedEmbedder[];
  /** Returns the embedder of this space, or null when it is not configured on this server. */
  forSpace(space: EmbeddingSpace): Embedder | null;
};

/** What the API knows about readers; it does not read documents itself. */
export type ReaderCatalogue = {
  /** Names that the form field `reader` accepts. */
  readonly names: readonly string[];
  /** Detects the media type from the content, with name and declared type as hints; null for an unknown type. */
  detectType(
    head: Uint8Array,
    hints: {
      name: string;
      declaredType: string | null;
      sizeBytes: number;
      /** Returns the whole file, for types that `head` is not enough to detect. */
      checkOut: () => Promise<{ path: string; release: () => Promise<void> }>;
    },
  ): Promise<string | null>;
  /** For `file_data`: notes that the extension of a file does not match its content. */
  mismatchNotes(name: string, mediaType: string): Readonly<Record<string, string>>;
  /** @throws AppError `reader_unavailable` when the reader needs a server that is not configured. */
  requireAvailable(reader: string): void;
  /** @throws AppError `unsupported_type`, `encrypted` or `type_mismatch` when this reader cannot read this type; `reader_unavailable`. */
  requireReadable(reader: string, mediaType: string): void;
};

/** Limits of uploads and crawls, stated in the OpenAPI document. */
export type Limits = {
  maxFileBytes: number;
  maxRequestBytes: number;
  maxRequestItems: number;
  /** Pages of one crawl. */
  maxCrawlPages: number;
  compress: CompressLimits;
};

/** Limits of compression. */
export type CompressLimits = {
  /** Longest text that is compressed within the request, in bytes of UTF-8. */
  maxBytes: number;
  /** Longest text of a compression job, in bytes of UTF-8. */
  maxJobBytes: number;
  /** Timeout of a compression within the request. */
  timeoutMs: number;
  /** How long the text and the result of a job are kept after it has ended. */
  retentionMs: number;
};

/** What operations work with. Built once per process, by `services/build-services.ts`. */
export type Services = {
  stores: Stores;
  /** Lists of contents, chunks, memories and deliveries, from a replica where one is configured. */
  lists: ListReads;
  vectors: VectorIndex;
  blobs: Blobs;
  embedders: Embedders;
  /** Models that providers offer. */
  models: ModelCatalogue;
  readers: ReaderCatalogue;
  /** Null when no chat model is configured; each user of it documents what happens without. */
  chat: ChatModel | null;
  /** Between the chat model and what asks it in the background: nobody waits for that, so it is what stops while the model is away. */
  chatCircuits: ChatCircuits;
  /** Answers that the chat model writes at the same time for this process. */
  answerSlots: FairSlots;
  /** Null when none is configured: searches then say so. */
  reranker: Reranker | null;
  compressors: Compressors;
  /** Sends token requests to OAuth providers. */
  oauth: TokenRequester;
  /** Where OAuth providers redirect users back to, and the URLs that users may then be redirected to. */
  authorization: { callbackUrl: string; redirectUrls: readonly string[] };
  /** The public client of the issuer of tokens with which people sign in; null without one. */
  issuerSignIn: { issuer: string; client_id: string; scopes: string[]; parameters: Record<string, string> } | null;
  jobs: Jobs;
  startedWorkflows: StartedWorkflows;
  accessCounter: AccessCounter;
  tenantActivity: TenantActivity;
  /** Tenants of the index that are not used for this long are deactivated; null: never. */
  tenantIdleMs: number | null;
  memoryIndexer: MemoryIndexer;
  /** Queries of the index by searches of several collections, workspaces in turn. */
  searchSlots: FairSlots;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  secrets: { keyRing: KeyRing; apiKeyPepper: string };
  limits: Limits;
  /** What `/readyz` shows about this instance. */
  instance: { embedder: string; embedderNote: string | null };
  /** What `GET /service` shows, and to which workspaces. */
  operation: {
    version: string;
    operatorWorkspaces: readonly string[];
    temporalUi: { url: string; namespace: string } | null;
    settings: readonly ServiceSetting[];
  };
};
