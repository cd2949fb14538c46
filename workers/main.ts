import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { createActivities } from '#activities/index.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { readConfig, type Config } from '#config/index.ts';
import { networkNamespaceCommand } from '#providers/sandbox/network-namespace.ts';
import { redirectConsoleToLog } from '#observability/console-to-log.ts';
import { createLog, type Log } from '#observability/log.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createPagePool } from '#providers/crawler/page-pool.ts';
import { createReaderPool } from '#providers/readers/reader-pool.ts';
import { withUnstructured } from '#providers/readers/external/unstructured.ts';
import { createEgress } from '#security/egress/egress.ts';
import { buildServices, openDependencies, type Dependencies } from '#services/build-services.ts';
import { createPostgres } from '#store/postgres.ts';
import { openHealthServer } from './health-server.ts';
import { startLoops } from './loops.ts';
import { ensureRefreshSchedule } from './refresh-schedule.ts';
import { createTaskWorkers } from './task-workers.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const RECONNECT_MS = 1_000;
/** Finding the links of a page takes milliseconds and builds no tree of the page. */
const PAGE_LIMITS = { processes: 1, memoryBytes: 384 * 1024 * 1024, timeoutMs: 20_000 };

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel, service: 'worker' });
  redirectConsoleToLog(log);
  installRuntime(log);
  const closing = new AsyncDisposableStack();
  const { signal } = stopOnSignals();
  try {
    const services = await buildWorkerServices(config, log, closing);
    const state = { workers: [] as readonly Worker[] };
    const health = await openHealthServer(services, config.worker, () => state.workers);
    closing.defer(() => health.close());
    const loops = startLoops(services);
    closing.defer(() => loops.stop());
    const connection = await connectToTemporal(config, log, signal);
    if (!connection) return;
    closing.defer(() => connection.close());
    state.workers = await createTaskWorkers({
      connection,
      namespace: config.temporal.namespace,
      workflowBundle: await loadWorkflowBundle(config.cacheDir),
      activities: createActivities(services),
    });
    const running = state.workers.map((worker) => worker.run());
    const { namespace } = config.temporal;
    const scheduled = ensureRefreshSchedule({ connection, namespace, log, signal });
    const stop = () => state.workers.forEach(shutDownWorker);
    signal.addEventListener('abort', stop);
    // The signal may have come while the workers were created, before the listener was there.
    if (signal.aborted) stop();
    const isIsolated = networkNamespaceCommand().length > 0;
    log.info({}, `reader processes run ${isIsolated ? 'in' : 'without'} a network namespace of their own`);
    log.info({ embedder: services.instance.embedder }, 'the worker is running');
    await Promise.all([...running, scheduled]);
  } finally {
    await closing.disposeAsync();
  }
  log.info('stopped');
}

/** Builds what activities and loops need. No server needs to be up. Each part registers itself in `closing`. */
async function buildWorkerServices(config: Config, log: Log, closing: AsyncDisposableStack): Promise<WorkerServices> {
  const database = createPostgres({ ...config.database, applicationName: 'loci-worker' });
  closing.defer(() => database.destroy());
  const dependencies = await openDependencies(config, database, closing);
  const pools = await openProcessPools(config, dependencies, closing);
  const egress = createEgress({ allow: config.egressAllow });
  const models = createModelCatalogue();
  return {
    ...buildServices(config, { dependencies, models, egress, log, closing }),
    ...pools,
    egress,
    archives: config.archives,
    downloads: { maxBytes: config.limits.maxDownloadBytes, totalTimeoutMs: DOWNLOAD_TIMEOUT_MS },
    webhooks: config.webhooks,
    crawling: config.crawling,
  };
}

/** Opens the pools of child processes that read documents and pages. */
async function openProcessPools(config: Config, { embedders }: Dependencies, closing: AsyncDisposableStack) {
  const { limits, readers } = config;
  const { tokenCounting } = embedders.preferred;
  // On the file system of the blobs, so that documents are linked instead of copied.
  const workFolder = join(config.blobDir, '.reading');
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const pool = createReaderPool({
    ...readers,
    maxTextBytes: limits.maxTextBytes,
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
  return { documents, pages };
}

/** Sends the SDK's log lines to our log and leaves process signals to this file. */
function installRuntime(log: Log): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const fields = { component: 'temporal', ...(meta?.['error'] === undefined ? {} : { error: meta['error'] }) };
    log[level === 'ERROR' ? 'error' : 'warn'](fields, message);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}

/** Connects to Temporal and retries without limit; returns null when the process is told to stop first. */
async function connectToTemporal(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await NativeConnection.connect({ address: config.temporal.address });
    } catch (error) {
      if (attempt % 10 === 1)
        log.warn({ error, address: config.temporal.address }, 'Temporal does not answer yet; retrying');
      await delay(RECONNECT_MS);
    }
  }
  return null;
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
