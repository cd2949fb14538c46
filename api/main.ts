import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig, type Config } from '#config/index.ts';
import type { Log } from '#observability/log.ts';
import type { Tracing } from '#observability/tracing.ts';
import { keepSweepingTemporaryFiles } from '#operations/blobs/sweep-temporary-files.ts';
import type { Services } from '#operations/services.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createModelCatalogue } from '#providers/models/index.ts';
import { createPublicModels } from '#providers/models/public-models.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { createEgress } from '#security/egress/egress.ts';
import { Secret } from '#security/secret.ts';
import { buildServices, openDependencies } from '#services/build-services.ts';
import { openListReads } from '#services/open-list-reads.ts';
import { openLog } from '#services/open-log.ts';
import { openProcessTracing } from '#services/open-process-tracing.ts';
import { createPostgres, type Database } from '#store/postgres.ts';
import { createApp } from './app.ts';
import { openRequestCounters } from './open-request-counters.ts';
import type { Stopping } from '#api/http/response/announce-stop.ts';
import type { AccessSettings } from '#api/http/request/authenticate-request.ts';
import { listen } from './server.ts';

/** When the process is told to stop, open requests have this long to finish; then their connections are cut. */
const DRAIN_MS = 10_000;
/** A request that takes longer is answered with 503; its statement must not go on without it. */
const API_STATEMENTS = { statementTimeoutMs: 10_000 };
/** Built by `npm run console`, and in the background by `npm start`. */
const CONSOLE_FOLDER = join(import.meta.dirname, '..', 'console');

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config, 'api');
  const closing = new AsyncDisposableStack();
  const stopSignal = waitForStopSignal();
  const stopping: Stopping = { isStopping: false };
  try {
    const tracing = await openProcessTracing(config, 'loci-api', closing);
    const database = createPostgres({ ...config.database, ...API_STATEMENTS, applicationName: 'loci-api' });
    closing.defer(() => database.destroy());
    const services = await buildApiServices(config, database, { log, closing, tracing });
    const app = createApp(services, {
      version: packageJson.version,
      access: accessSettings(config),
      requestLimits: config.access.requestLimits,
      requestCounters: openRequestCounters(config.access.requestCounters, { database, log, closing }),
      trustedProxies: config.access.trustedProxies,
      corsOrigins: config.access.corsOrigins,
      mcp: config.mcp,
      consoleFolder: CONSOLE_FOLDER,
      stopping,
    });
    const server = await listen(app.callback(), config.api);
    closing.defer(() => server.close(DRAIN_MS));
    log.info(
      { address: config.api.host, port: server.port, embedder: services.instance.embedder },
      'the API is listening',
    );
    closing.defer(keepSweepingTemporaryFiles(services));
    log.info({ signal: await stopSignal }, 'stopping');
    stopping.isStopping = true;
    // A second signal ends the wait.
    await Promise.race([delay(config.api.shutdownDelayMs, undefined, { ref: false }), waitForStopSignal()]);
  } finally {
    // In reverse: first the server, then the services that its requests use.
    await closing.disposeAsync();
  }
  log.info('stopped');
}

function accessSettings({ access }: Config): AccessSettings {
  const { tokens, workspacesClaim, administratorToken } = access;
  return {
    users: tokens && { verifier: createBearerTokenVerifier(tokens), workspacesClaim },
    administratorToken: administratorToken === null ? null : new Secret(administratorToken),
  };
}

type Parts = { log: Log; closing: AsyncDisposableStack; tracing: Tracing | null };

/** Builds what requests need. No server needs to be up. Each part registers itself in `closing`. */
async function buildApiServices(
  config: Config,
  database: Database,
  { log, closing, tracing }: Parts,
): Promise<Services> {
  const dependencies = await openDependencies(config, database, {
    closing,
    tracing,
    asksForVectors: true,
    reranks: true,
  });
  const publicModels = createPublicModels({ ...config.publicModels, log });
  closing.defer(() => publicModels.close());
  publicModels.start();
  const models = createModelCatalogue(publicModels);
  const egress = createEgress({ allow: config.egressAllow });
  const lists = openListReads(config, { ...API_STATEMENTS, database, stores: dependencies.stores, log, closing });
  return buildServices(config, { dependencies, models, egress, log, closing, lists });
}

function waitForStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

try {
  await main();
} catch (error) {
  // The log may not exist yet, so the message goes to the console.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
