import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { createActivities } from '#activities/index.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { readConfig, type Config } from '#config/index.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import { describeSlots } from '#domain/worker-slots.ts';
import { networkNamespaceCommand } from '#providers/sandbox/network-namespace.ts';
import type { Log } from '#observability/log.ts';
import type { Tracing } from '#observability/tracing.ts';
import { keepSweepingTemporaryFiles } from '#operations/blobs/sweep-temporary-files.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createPagePool } from '#providers/crawler/page-pool.ts';
import { createReaderPool } from '#providers/readers/reader-pool.ts';
import { withUnstructured } from '#providers/readers/external/unstructured.ts';
import { createEgress } from '#security/egress/egress.ts';
import { Secret } from '#security/secret.ts';
import { workFolders } from '#services/work-folders.ts';
import { buildServices, openDependencies, type Dependencies } from '#services/build-services.ts';
import { openLog } from '#services/open-log.ts';
import { openProcessTracing } from '#services/open-process-tracing.ts';
import { createPostgres } from '#store/postgres.ts';
import { createEmbeddingEndpoint, type EmbeddingEndpoint } from './embedding-endpoint.ts';
import { openHealthServer } from './health-server.ts';
import { startLoops } from './loops.ts';
import { watchQueueBacklogs } from './queue-backlogs.ts';
import { keepRefreshSchedule } from './refresh-schedule.ts';
import { createTaskWorkers } from './task-workers.ts';
import { keepCompiledCode } from './keep-compiled-code.ts';
import { loadDataConverter, temporalConnection } from './temporal-connection.ts';
import { installTemporalRuntime } from './temporal-runtime.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const RECONNECT_MS = 1_000;
/**
 * Finding the links of a page takes milliseconds and builds no tree of the page. The second process starts when crawls of two
 * workspaces need one at the same time.
 */
const PAGE_LIMITS = { processes: 2, memoryBytes: 384 * 1024 * 1024, timeoutMs: 20_000 };

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config, 'worker');
  const sdkMetrics = await installTemporalRuntime(log);
  const closing = new AsyncDisposableStack();
  const { signal } = stopOnSignals();
  try {
    const tracing = await openProcessTracing(config, 'loci-worker', closing);
    const services = await buildWorkerServices(config, { log, closing, tracing });
    const state: { workers: readonly Worker[] | null } = { workers: null };
    const embeddings = openEmbeddingEndpoint(config, services);
    const shown = { workers: () => state.workers, sdkMetrics, embeddings };
    const health = await openHealthServer(services, config.worker, shown);
    closing.defer(() => health.close());
    const { queues: slots, hasLoops } = config.worker.slots;
    const loops = hasLoops ? startLoops(services) : null;
    closing.defer(loops ? () => loops.stop() : keepSweepingTemporaryFiles(services));
    const connection = await connectToTemporal(config, log, signal);
    if (!connection) return;
    closing.defer(() => connection.close());
    const { namespace, workerVersion: version } = config.temporal;
    const temporal = { connection, namespace, dataConverter: await loadDataConverter(config.temporal) };
    const workflowBundle = await loadWorkflowBundle(config.cacheDir, tracing?.workflowModules);
    const work = { activities: createActivities(services), workflowBundle };
    const workers = (state.workers = await createTaskWorkers({ ...temporal, ...work, version, slots, tracing }));
    keepCompiledCode();
    const running = workers.map((worker) => worker.run());
    const beside = [
      keepRefreshSchedule({ ...temporal, log, signal }),
      watchQueueBacklogs({ ...temporal, ...services, signal }),
    ];
    whenAborted(signal, () => workers.forEach(shutDownWorker));
    logStart(services, config);
    await Promise.all([...running, ...beside]);
  } finally {
    await closing.disposeAsync();
  }
  log.info('stopped');
}

/** A process that has local models embeds for those that know its token. */
function openEmbeddingEndpoint({ embedder }: Config, { embedders, log }: WorkerServices): EmbeddingEndpoint | null {
  const models = embedders.all.map((one) => one.embedder).filter(({ space }) => space.provider === 'local');
  if (models.length === 0 || embedder.token === null) return null;
  return createEmbeddingEndpoint({ models, token: new Secret(embedder.token), log });
}

function logStart({ log, instance }: WorkerServices, { worker }: Config): void {
  const isIsolated = networkNamespaceCommand().length > 0;
  log.info({}, `reader processes run ${isIsolated ? 'in' : 'without'} a network namespace of their own`);
  log.info({ embedder: instance.embedder }, `the worker is running: ${describeSlots(worker.slots)}`);
}

type Parts = { log: Log; closing: AsyncDisposableStack; tracing: Tracing | null };

/** Builds what activities and loops need. No server needs to be up. Each part registers itself in `closing`. */
async function buildWorkerServices(config: Config, { log, closing, tracing }: Parts): Promise<WorkerServices> {
  const database = createPostgres({ ...config.database, applicationName: 'loci-worker' });
  closing.defer(() => database.destroy());
  const dependencies = await openDependencies(config, database, { closing, tracing });
  const pools = await openProcessPools(config, dependencies, closing);
  const egress = createEgress({ allow: config.egressAllow });
  const models = createModelCatalogue();
  return {
    ...buildServices(config, { dependencies, models, egress, log, closing }),
    ...pools,
    egress,
    archives: config.archives,
    downloads: {
      maxBytes: config.limits.maxDownloadBytes,
      totalTimeoutMs: DOWNLOAD_TIMEOUT_MS,
      places: downloadPlaces(config.worker.slots.queues.download),
    },
    webhooks: config.webhooks,
    crawling: config.crawling,
  };
}

/** As many as there are tasks at the same time, of which one workspace uses at most three quarters. */
function downloadPlaces(slots: number): FairSlots {
  return new FairSlots(slots, { maxPerShare: Math.max(1, Math.floor(slots * 0.75)) });
}

/** Opens the pools of child processes that read documents and pages. */
async function openProcessPools(config: Config, { embedders }: Dependencies, closing: AsyncDisposableStack) {
  const { limits, readers } = config;
  const tokenizers = embedders.all.flatMap(({ embedder: { tokenCounting } }) =>
    tokenCounting.kind === 'tokenizer' ? [tokenCounting.folder] : [],
  );
  const workFolder = workFolders(config.blobs).reading;
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const pool = createReaderPool({
    ...readers,
    maxTextBytes: limits.maxTextBytes,
    workFolder,
    readableFolders: [...new Set(tokenizers)],
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
  return { documents, pages };
}

/** Connects to Temporal and retries without limit; returns null when the process is told to stop first. */
async function connectToTemporal(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await NativeConnection.connect(temporalConnection(config.temporal));
    } catch (error) {
      if (attempt % 10 === 1)
        log.warn({ error, address: config.temporal.address }, 'Temporal does not answer yet; retrying');
      await delay(RECONNECT_MS);
    }
  }
  return null;
}

/** Calls `stop` once, also when the signal came before, for example while the workers were created. */
function whenAborted(signal: AbortSignal, stop: () => void): void {
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
}

function shutDownWorker(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** An abort signal for SIGTERM and SIGINT. */
function stopOnSignals(): { signal: AbortSignal } {
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort());
  process.once('SIGINT', () => controller.abort());
  return { signal: controller.signal };
}

try {
  await main();
  process.exit(0);
} catch (error) {
  // The log may not exist yet, so the message goes to the console.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
