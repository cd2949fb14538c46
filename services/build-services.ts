import type { Config } from '#config/index.ts';
import { systemClock } from '#domain/clock.ts';
import { embedderName } from '#domain/embedder.ts';
import type { Jobs } from '#domain/jobs.ts';
import type { ModelCatalogue } from '#domain/model-catalogue.ts';
import type { Log } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';
import { createAccessCounter } from '#operations/contents/access-counter.ts';
import { createMemoryIndexer } from '#operations/memories/memory-indexer.ts';
import type { Services } from '#operations/services.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createEmbedders, type EmbedderSet } from '#providers/embedders/index.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { createTokenRequester, OAUTH_PROVIDERS } from '#providers/oauth/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import type { Egress } from '#security/egress/egress.ts';
import { createKeyRing } from '#security/key-ring.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import type { Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { createVectorIndex, type VectorIndex } from '#store/weaviate/vector-index.ts';
import { createJobs } from '#workers/jobs.ts';

const WEAVIATE_TIMEOUT_MS = 30_000;

/** Clients of the other servers, and the embedders: what the rest of the services is built on. */
export type Dependencies = { stores: Stores; vectors: VectorIndex; jobs: Jobs; embedders: EmbedderSet };

export type ServicesOptions = {
  dependencies: Dependencies;
  models: ModelCatalogue;
  /** The only way out to URLs of users and to OAuth providers. */
  egress: Egress;
  log: Log;
  /** Every part that must be closed registers here. */
  closing: AsyncDisposableStack;
};

/**
 * Opens the clients and loads the embedders. No server needs to be up: clients connect on their first call.
 * Each part registers itself in `closing`.
 */
export async function openDependencies(
  config: Config,
  database: Database,
  closing: AsyncDisposableStack,
): Promise<Dependencies> {
  const vectors = createVectorIndex({ ...config.weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  closing.defer(() => vectors.close());
  const jobs = createJobs(config.temporal);
  closing.defer(() => jobs.close());
  const embedders = await createEmbedders({ ...config.embedder, cacheDir: config.cacheDir });
  closing.defer(() => embedders.close());
  return { stores: createStores(database), vectors, jobs, embedders };
}

/** Builds what the operations of every process need. */
export function buildServices(config: Config, options: ServicesOptions): Services {
  const { dependencies, models, egress, log, closing } = options;
  const { stores, embedders } = dependencies;
  const chat = createChatModel(config.chat);
  const compressors = createCompressors({ chat, counting: embedders.preferred.tokenCounting });
  closing.defer(() => compressors.close());
  const accessCounter = createAccessCounter({ stores, log });
  closing.defer(() => accessCounter.close());
  return {
    ...dependencies,
    blobs: createLocalBlobStore({ dir: config.blobDir }),
    models,
    readers: createReaderCatalogue({ hasUnstructured: config.unstructured.url !== null }),
    chat,
    compressors,
    oauth: createTokenRequester(egress, OAUTH_PROVIDERS),
    authorization: {
      callbackUrl: `${config.api.publicUrl}/api/v1/oauth/callback`,
      redirectUrls: config.oauthRedirects,
    },
    accessCounter,
    memoryIndexer: createMemoryIndexer({ ...dependencies, log }),
    clock: systemClock,
    log,
    metrics: createMetrics(),
    secrets: { keyRing: createKeyRing(config.secrets.keys), apiKeyPepper: config.secrets.apiKeyPepper },
    limits: config.limits,
    instance: { embedder: embedderName(embedders.preferred.space), embedderNote: config.embedder.note },
  };
}
