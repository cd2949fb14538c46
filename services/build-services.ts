import type { Config } from '#config/index.ts';
import type { BlobStore } from '#domain/blob-store.ts';
import { systemClock } from '#domain/clock.ts';
import { embedderName } from '#domain/embedder.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import type { Jobs } from '#domain/jobs.ts';
import type { ModelCatalogue } from '#domain/model-catalogue.ts';
import type { Reranker } from '#domain/reranker.ts';
import type { Log } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';
import type { Tracing } from '#observability/tracing.ts';
import { createAccessCounter } from '#operations/contents/access-counter.ts';
import { createTenantActivity } from '#operations/index/tenant-activity.ts';
import { createStartedWorkflows } from '#operations/jobs/started-workflows.ts';
import { createMemoryIndexer } from '#operations/memories/memory-indexer.ts';
import type { Services } from '#operations/services.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createEmbedders, type EmbedderSet } from '#providers/embedders/index.ts';
import { ChatCircuits } from '#providers/models/chat-circuits.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { createReranker } from '#providers/rerankers/index.ts';
import { createTokenRequester, OAUTH_PROVIDERS } from '#providers/oauth/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import type { Egress } from '#security/egress/egress.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import { createKeyRing } from '#security/key-ring.ts';
import { createBlobs } from '#store/blobs/blobs.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { readsOfPrimary, type ListReads } from '#store/list-reads.ts';
import type { Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { createVectorIndex, type VectorIndex } from '#store/weaviate/vector-index.ts';
import { createJobs } from '#workers/jobs.ts';
import { queueBacklogs } from '#workers/queue-backlogs.ts';
import { loadDataConverter, temporalConnection } from '#workers/temporal-connection.ts';
import packageJson from '../package.json' with { type: 'json' };
import { openBlobStore } from './open-blob-store.ts';
import { workFolders } from './work-folders.ts';

/** A few, because model servers answer few questions at once; the rest waits in turn by workspace. */
const ANSWER_SLOTS = 16;
/** Answers take up to minutes: one workspace leaves room for others. */
const ANSWER_SLOTS_PER_WORKSPACE = 12;
const WEAVIATE_TIMEOUT_MS = 30_000;
/** Queries of the index at once for searches of several collections, which must leave room for plain ones. */
const SEARCH_CONCURRENCY = 12;

/** Clients of the other servers, and the embedders: what the rest of the services is built on. */
export type Dependencies = {
  stores: Stores;
  vectors: VectorIndex;
  jobs: Jobs;
  embedders: EmbedderSet;
  reranker: Reranker | null;
  blobStore: BlobStore;
};

export type ServicesOptions = {
  dependencies: Dependencies;
  models: ModelCatalogue;
  /** The only way out to URLs of users and to OAuth providers. */
  egress: Egress;
  log: Log;
  /** Default: lists are read from the primary. */
  lists?: ListReads;
  /** Every part that must be closed registers here. */
  closing: AsyncDisposableStack;
};

/** `asksForVectors`: a worker may embed for this process (LOCI_EMBEDDER_URL), which then does not load the local model. `reranks`: this process searches. */
export type DependencyOptions = {
  closing: AsyncDisposableStack;
  tracing?: Tracing | null;
  asksForVectors?: boolean;
  reranks?: boolean;
};

/**
 * Opens the clients and loads the embedders. No server needs to be up: clients connect on their first call.
 * Each part registers itself in `closing`.
 */
export async function openDependencies(
  config: Config,
  database: Database,
  { closing, tracing = null, asksForVectors = false, reranks = false }: DependencyOptions,
): Promise<Dependencies> {
  const vectors = createVectorIndex({ ...config.weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  closing.defer(() => vectors.close());
  const jobs = createJobs({
    connection: temporalConnection(config.temporal),
    namespace: config.temporal.namespace,
    dataConverter: await loadDataConverter(config.temporal),
    queueBacklogs,
    interceptors: tracing?.clientInterceptors ?? [],
  });
  closing.defer(() => jobs.close());
  const { remote, ...embedder } = config.embedder;
  const embedders = await createEmbedders({
    ...embedder,
    cacheDir: config.cacheDir,
    remote: asksForVectors ? remote : null,
  });
  closing.defer(() => embedders.close());
  const reranker = reranks ? await createReranker(config.reranker, config.cacheDir) : null;
  closing.defer(async () => reranker?.close());
  const blobStore = await openBlobStore(config);
  closing.defer(() => blobStore.close());
  return { stores: createStores(database), vectors, jobs, embedders, reranker, blobStore };
}

/** Builds what the operations of every process need. */
export function buildServices(config: Config, options: ServicesOptions): Services {
  const { dependencies, models, egress, log, closing, lists = readsOfPrimary(options.dependencies.stores) } = options;
  const { blobStore, ...clients } = dependencies;
  const { stores, embedders } = clients;
  const chat = createChatModel(config.chat);
  const compressors = createCompressors({ chat, counting: embedders.preferred.tokenCounting });
  closing.defer(() => compressors.close());
  const accessCounter = createAccessCounter({ stores, log });
  closing.defer(() => accessCounter.close());
  const startedWorkflows = createStartedWorkflows({ stores, log });
  closing.defer(() => startedWorkflows.close());
  const metrics = createMetrics();
  embedders.observe(metrics);
  const { tenantIdleMs } = config.weaviate;
  const folders = workFolders(config.blobs);
  const tenantActivity = createTenantActivity({ ...dependencies, metrics, log, idleMs: tenantIdleMs });
  closing.defer(() => tenantActivity.close());
  return {
    ...clients,
    lists,
    blobs: createBlobs({
      rows: stores.blobRows,
      removals: stores.system,
      store: blobStore,
      spool: createSpool(folders.spool, { memoryBytes: config.blobs.rowBytes }),
      readingFolder: folders.reading,
    }),
    models,
    readers: createReaderCatalogue({ hasUnstructured: config.unstructured.url !== null }),
    chat,
    chatCircuits: new ChatCircuits(),
    answerSlots: new FairSlots(ANSWER_SLOTS, { maxPerShare: ANSWER_SLOTS_PER_WORKSPACE }),
    compressors,
    oauth: createTokenRequester(egress, OAUTH_PROVIDERS),
    issuerSignIn: config.access.signIn && { ...config.access.signIn, scopes: [...config.access.signIn.scopes] },
    authorization: {
      callbackUrl: `${config.api.publicUrl}/api/v1/oauth/callback`,
      redirectUrls: config.oauthRedirects,
    },
    startedWorkflows,
    accessCounter,
    memoryIndexer: createMemoryIndexer({ ...dependencies, log }),
    searchSlots: new FairSlots(SEARCH_CONCURRENCY),
    clock: systemClock,
    log,
    metrics,
    tenantActivity,
    tenantIdleMs,
    secrets: { keyRing: createKeyRing(config.secrets.keys), apiKeyPepper: config.secrets.apiKeyPepper },
    limits: config.limits,
    operation: {
      version: packageJson.version,
      operatorWorkspaces: config.access.operatorWorkspaces,
      temporalUi: temporalUiOf(config),
      settings: config.shown,
    },
    instance: { embedder: embedderName(embedders.preferred.space), embedderNote: config.embedder.note },
  };
}

/** Credentials in the address are nobody's business but the proxy's. */
function temporalUiOf({ temporalUiUrl, temporal: { namespace } }: Config): Services['operation']['temporalUi'] {
  return temporalUiUrl === null ? null : { url: urlForDisplay(temporalUiUrl).replace(/\/+$/, ''), namespace };
}
