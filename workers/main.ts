import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { createActivities } from '#activities/index.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { readConfig, type Config } from '#config/index.ts';
import { systemClock } from '#domain/clock.ts';
import { embedderName } from '#domain/embedder.ts';
import { sendConsoleToLog } from '#observability/console-to-log.ts';
import { createLog, type Log } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';
import { createAccessCounter } from '#operations/contents/access-counter.ts';
import { checkReadiness } from '#operations/check-readiness.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { createPagePool } from '#providers/crawler/page-pool.ts';
import { createTokenRequester, OAUTH_PROVIDERS } from '#providers/oauth/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { createReaderPool } from '#providers/readers/reader-pool.ts';
import { withUnstructured } from '#providers/readers/external/unstructured.ts';
import { createEgress } from '#security/egress/egress.ts';
import { createKeyRing } from '#security/sealed.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { createJobs } from './jobs.ts';
import { startLoops } from './loops.ts';
import { ensureRefreshSchedule } from './refresh-schedule.ts';
import { createTaskWorkers } from './task-workers.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

const WEAVIATE_TIMEOUT_MS = 30_000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const RECONNECT_MS = 1_000;
/** Looking for the links of a page takes milliseconds, and no tree of it is built. */
const PAGE_LIMITS = { processes: 1, memoryBytes: 384 * 1024 * 1024, timeoutMs: 20_000 };

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel, service: 'worker' });
  sendConsoleToLog(log);
  installRuntime(log);
  const closing = new AsyncDisposableStack();
  const stopping = untilAskedToStop();
  try {
    const services = await buildServices(config, log, closing);
    const state = { workers: [] as readonly Worker[] };
    closing.defer(await listen(services, config, () => state.workers));
    const loops = startLoops(services);
    closing.defer(() => loops.stop());
    const connection = await connect(config, log, stopping.signal);
    if (!connection) return;
    closing.defer(() => connection.close());
    state.workers = await createTaskWorkers({
      connection,
      namespace: config.temporal.namespace,
      workflowBundle: await loadWorkflowBundle(config.cacheDir),
      activities: createActivities(services),
      readers: config.readers.processes,
    });
    const running = state.workers.map((worker) => worker.run());
    const { namespace } = config.temporal;
    const scheduled = ensureRefreshSchedule({ connection, namespace, log, signal: stopping.signal });
    const stop = () => state.workers.forEach(shutDown);
    stopping.signal.addEventListener('abort', stop);
    // Asked to stop while the workers were being made: that was before anybody listened.
    if (stopping.signal.aborted) stop();
    log.info({ embedder: services.instance.embedder }, 'the worker takes work');
    await Promise.all([...running, scheduled]);
  } finally {
    await closing.disposeAsync();
  }
  log.info('stopped');
}

/** Everything that steps work with; nothing here needs a server to be up. */
async function buildServices(config: Config, log: Log, closing: AsyncDisposableStack): Promise<WorkerServices> {
  const { database, temporal, weaviate, secrets, embedder, limits, readers } = config;
  const postgres = createPostgres({ ...database, applicationName: 'loci-worker' });
  closing.defer(() => postgres.destroy());
  const stores = createStores(postgres);
  const vectors = createVectorIndex({ ...weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  closing.defer(() => vectors.close());
  const jobs = createJobs(temporal);
  closing.defer(() => jobs.close());
  const embedders = await createEmbedders({ ...embedder, cacheDir: config.cacheDir });
  closing.defer(() => embedders.close());
  const { tokenCounting } = embedders.preferred;
  const workFolder = join(config.blobDir, '.reading');
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const pool = createReaderPool({
    ...readers,
    maxTextBytes: limits.maxTextBytes,
    // On the file system of the blobs, so that documents are linked and not copied.
    workFolder,
    readableFolders: tokenCounting.kind === 'tokenizer' ? [tokenCounting.folder] : [],
  });
  closing.defer(() => pool.close());
  const documents = withUnstructured(pool, {
    ...config.unstructured,
    timeoutMs: readers.timeoutMs,
    maxAnswerBytes: limits.maxTextBytes * 4,
    workFolder,
  });
  const pages = createPagePool({ ...PAGE_LIMITS, workFolder });
  closing.defer(() => pages.close());
  const chat = createChatModel(config.chat);
  const compressors = createCompressors({ chat, counting: embedders.preferred.tokenCounting });
  closing.defer(() => compressors.close());
  const accesses = createAccessCounter({ stores, log });
  const egress = createEgress({ allow: config.egressAllow });
  closing.defer(() => accesses.close());
  return {
    stores,
    vectors,
    blobs: createLocalBlobStore({ dir: config.blobDir }),
    embedders,
    models: createModelCatalogue(),
    readers: createReaderCatalogue({ hasUnstructured: config.unstructured.url !== null }),
    chat,
    compressors,
    documents,
    pages,
    egress,
    oauth: createTokenRequester(egress, OAUTH_PROVIDERS),
    archives: config.archives,
    downloads: { maxBytes: limits.maxDownloadBytes, totalTimeoutMs: DOWNLOAD_TIMEOUT_MS },
    authorization: {
      callbackUrl: `${config.api.publicUrl}/api/v1/oauth/callback`,
      redirectUrls: config.oauthRedirects,
    },
    webhooks: config.webhooks,
    crawling: config.crawling,
    jobs,
    accesses,
    clock: systemClock,
    log,
    metrics: createMetrics(),
    secrets: { keyRing: createKeyRing(secrets.keys), apiKeyPepper: secrets.apiKeyPepper },
    limits,
    instance: { embedder: embedderName(embedders.preferred.space), embedderNote: embedder.note },
  };
}

/** The SDK's own lines go through our log; signals are ours to handle. */
function installRuntime(log: Log): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const fields = { component: 'temporal', ...(meta?.['error'] === undefined ? {} : { error: meta['error'] }) };
    log[level === 'ERROR' ? 'error' : 'warn'](fields, message);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}

/** Waits for Temporal as long as it takes; null when the process is asked to stop first. */
async function connect(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await NativeConnection.connect({ address: config.temporal.address });
    } catch (error) {
      if (attempt % 10 === 1) log.warn({ error, address: config.temporal.address }, 'Temporal does not answer yet');
      await delay(RECONNECT_MS);
    }
  }
  return null;
}

function shutDown(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** Health and metrics for operators. Ready means: connected and taking work. */
async function listen(
  services: WorkerServices,
  config: Config,
  workers: () => readonly Worker[],
): Promise<() => Promise<void>> {
  const answer = async (path: string): Promise<{ status: number; type: string; body: string }> => {
    const json = (status: number, body: unknown) => ({ status, type: 'application/json', body: JSON.stringify(body) });
    if (path === '/livez') return json(200, { status: 'ok' });
    if (path === '/metrics')
      return { status: 200, type: services.metrics.contentType, body: await services.metrics.render() };
    if (path !== '/readyz')
      return json(404, { code: 'not_found', detail: 'There are /livez, /readyz and /metrics.', request_id: '' });
    const readiness = await checkReadiness(services);
    const isRunning = workers().length > 0 && workers().every((worker) => worker.getState() === 'RUNNING');
    return json(isRunning ? 200 : 503, { ...readiness, ready: isRunning });
  };
  const server = createServer((request, response) => {
    answer(request.url ?? '/')
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch((error: unknown) => {
        services.log.error({ error }, 'a health request failed');
        response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.worker.port, config.worker.host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

function untilAskedToStop(): { signal: AbortSignal } {
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort());
  process.once('SIGINT', () => controller.abort());
  return { signal: controller.signal };
}

try {
  await main();
  process.exit(0);
} catch (error) {
  // Before the log is there, or when it cannot start: in the words of whoever threw it.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
