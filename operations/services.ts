import type { BlobStore } from '#domain/blob-store.ts';
import type { AccessCounter } from '#operations/contents/access-counter.ts';
import type { ChatModel } from '#domain/chat-model.ts';
import type { Compressors } from '#domain/compression/compressor.ts';
import type { Clock } from '#domain/clock.ts';
import type { Embedder, EmbedderProvider, EmbeddingSpace } from '#domain/embedder.ts';
import type { Jobs } from '#domain/jobs.ts';
import type { ModelCatalogue } from '#domain/model-catalogue.ts';
import type { TokenRequester } from '#domain/connections/token-requester.ts';
import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';
import type { KeyRing } from '#security/key-ring.ts';
import type { Stores } from '#store/stores.ts';
import type { VectorIndex } from '#store/weaviate/vector-index.ts';

/** The embedders of this process: the configured one and, always, `lexical`. */
export type Embedders = {
  /** For new collections that name none. */
  readonly preferred: Embedder;
  /** The embedder that made vectors of this space, or null when it is not configured here. */
  forSpace(space: EmbeddingSpace): Embedder | null;
  /** An embedder by provider (and model), or null. */
  find(provider: EmbedderProvider, model?: string): Embedder | null;
};

/** What the API needs to know of readers, without reading anything itself. */
export type ReaderCatalogue = {
  /** Names that the form field `reader` takes. */
  readonly names: readonly string[];
  /** Media type by content first, name and declared type as hints; null when the bytes are of no known kind. */
  detectType(
    head: Uint8Array,
    hints: {
      name: string;
      declaredType: string | null;
      sizeBytes: number;
      /** The whole file, which is looked at where its beginning does not tell. */
      checkOut: () => Promise<{ path: string; release: () => Promise<void> }>;
    },
  ): Promise<string | null>;
  /** For `file_data`: what the name of a file promises, where its content is something else. */
  mismatchNotes(name: string, mediaType: string): Readonly<Record<string, string>>;
  /** @throws AppError `reader_unavailable` when the reader needs a server that is not configured. */
  requireAvailable(reader: string): void;
  /** @throws AppError `unsupported_type`, `encrypted` or `type_mismatch` when this reader cannot read this type; `reader_unavailable`. */
  requireReadable(reader: string, mediaType: string): void;
};

/** Stated limits of uploads and searches. */
export type Limits = {
  maxFileBytes: number;
  maxRequestBytes: number;
  maxRequestItems: number;
  /** Of one crawl. */
  maxCrawlPages: number;
  compress: CompressLimits;
};

/** Stated limits of compressing. */
export type CompressLimits = {
  /** Longest text whose result is in the answer, in bytes of UTF-8. */
  maxBytes: number;
  /** Longest text of a job. */
  maxJobBytes: number;
  /** Longest time until the answer. */
  timeoutMs: number;
  /** How long text and result of a job are kept after its end. */
  retentionMs: number;
};

/** What operations work with; built once by a main file. */
export type Services = {
  stores: Stores;
  vectors: VectorIndex;
  blobs: BlobStore;
  embedders: Embedders;
  /** Models that providers offer, as far as this version knows. */
  models: ModelCatalogue;
  readers: ReaderCatalogue;
  /** Null where none is configured: what wants one says how it goes without. */
  chat: ChatModel | null;
  compressors: Compressors;
  /** Speaks with providers of OAuth. */
  oauth: TokenRequester;
  /** Where providers send users back to, and where users may be sent on. */
  authorization: { callbackUrl: string; redirectUrls: readonly string[] };
  jobs: Jobs;
  accessCounter: AccessCounter;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  secrets: { keyRing: KeyRing; apiKeyPepper: string };
  limits: Limits;
  /** Facts about this instance that `/readyz` shows. */
  instance: { embedder: string; embedderNote: string | null };
};
