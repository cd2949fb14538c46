import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { chooseEmbedder } from '#stack/acquire/choose-embedder.ts';
import { createLocalPostgres } from '#stack/servers/local-postgres.ts';
import { createLocalTemporal } from '#stack/servers/local-temporal.ts';
import { createLocalWeaviate } from '#stack/servers/local-weaviate.ts';
import type { ManagedProcess } from '#stack/processes/managed-process.ts';
import { createProcessRecords } from '#stack/processes/process-records.ts';
import { startReaper } from '#stack/processes/start-reaper.ts';
import { prepareTemporalNamespace } from '#stack/servers/temporal-namespace.ts';
import type { ServerContext } from '#stack/servers/server-context.ts';
import { loopbackWithoutProxy } from './loopback-without-proxy.ts';
import { freePorts, type PortName, type Ports, requireFreePorts } from './stack-ports.ts';
import { loadOrCreateStackSecrets, type StackSecrets } from './stack-secrets.ts';
import { lockStateFolder, removeStateFolder } from './state-folder.ts';
import { type Log, timedStep } from './timed-step.ts';

export type StackOptions = {
  /** Folder of all state; kept between starts unless `isTemporary`. */
  stateDir: string;
  cacheDir: string;
  ports: 'free' | Ports;
  /** Settings are read from here, as values only. If it has the address of a server, that server is used and none is started. */
  environment: NodeJS.ProcessEnv;
  /** True removes the state folder when the stack stops or its launcher is killed. */
  isTemporary: boolean;
  log: Log;
};

/** The running servers. */
export type RunningStack = {
  /** All `LOCI_` variables that API, worker and tests need. */
  environment: Record<string, string>;
  ports: Ports;
  /** Address of the Temporal UI; null if it is unknown, for an external server. */
  temporalUi: string | null;
  /** The servers that this stack started; null for external servers. */
  postgres: ManagedProcess | null;
  temporal: ManagedProcess | null;
  weaviate: ManagedProcess | null;
  /** Used to start API and worker, so that they are stopped together with the servers. */
  context: ServerContext;
  stop(): Promise<void>;
};

const RETENTION_DAYS = 7;

/** Ports that are not needed if the setting names an external server. */
const SERVER_PORTS: Record<string, readonly PortName[]> = {
  LOCI_DATABASE_URL: ['postgres'],
  LOCI_TEMPORAL_ADDRESS: ['temporal', 'temporalUi', 'temporalHttp', 'temporalMetrics'],
  LOCI_WEAVIATE_URL: ['weaviate', 'weaviateGrpc', 'weaviateGossip', 'weaviateData', 'weaviateRaft', 'weaviateRaftRpc'],
};

/**
 * Starts PostgreSQL, Temporal and Weaviate as child processes and waits until they are ready. Obtains missing executables.
 * On an error, stops everything again.
 * @throws StackError
 */
export async function startLocalStack(options: StackOptions): Promise<RunningStack> {
  const stateDir = resolve(options.stateDir);
  // Clients of gRPC read this process's variables.
  Object.assign(process.env, loopbackWithoutProxy(process.env));
  const environment = { ...options.environment, ...loopbackWithoutProxy(options.environment) };
  const lock = await lockStateFolder(stateDir, options.log);
  const launcher = randomUUID();
  const secrets = loadOrCreateStackSecrets(stateDir);
  const ports = options.ports === 'free' ? await freePorts() : options.ports;
  const records = createProcessRecords(stateDir, launcher);
  const context: ServerContext = { ...options, environment, stateDir, ports, secrets, records };
  const reaper = startReaper(stateDir, launcher, options.isTemporary);
  const servers: ManagedProcess[] = [];
  const stop = async () => {
    // PostgreSQL stops last: without connections it stops immediately.
    for (const server of servers.toReversed()) await server.stop();
    lock.release();
    if (options.isTemporary) removeStateFolder(stateDir);
    await reaper.release();
  };
  try {
    await requireFreePorts(ports, requiredPorts(options.environment));
    return { ...(await startServers(context, servers)), ports, context, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServers(context: ServerContext, servers: ManagedProcess[]) {
  const { environment, log } = context;
  // One after the other: parallel builds would only compete for the cores.
  const embedder = await chooseEmbedder(context);
  const postgres = isSet(environment, 'LOCI_DATABASE_URL') ? null : await createLocalPostgres(context);
  const temporal = isSet(environment, 'LOCI_TEMPORAL_ADDRESS') ? null : await createLocalTemporal(context);
  const weaviate = isSet(environment, 'LOCI_WEAVIATE_URL') ? null : await createLocalWeaviate(context);
  const started = [postgres, temporal, weaviate].flatMap((server) => (server === null ? [] : [server.process]));
  servers.push(...started);
  const title = `Starting ${started.map((server) => server.title).join(', ')}`;
  if (started.length > 0)
    await timedStep({ log, title }, () => allSettledOrThrow(started.map((server) => server.start())));

  const settings = readTemporalSettings(environment);
  const address = temporal?.address ?? settings.address;
  const { namespace } = settings;
  await prepareTemporalNamespace({
    temporal: { ...settings, address },
    retentionDays: temporal === null ? null : RETENTION_DAYS,
  });
  return {
    environment: {
      ...lociSettings(environment),
      ...generatedSecrets(environment, context.secrets),
      ...embedder,
      LOCI_STATE_DIR: context.stateDir,
      LOCI_CACHE_DIR: context.cacheDir,
      ...blobFolders(environment, context.stateDir),
      LOCI_PORT: String(context.ports.api),
      // No load balancer is in front of it.
      LOCI_SHUTDOWN_DELAY_S: environment['LOCI_SHUTDOWN_DELAY_S'] ?? '0',
      LOCI_WORKER_PORT: String(context.ports.worker),
      ...(postgres === null
        ? {}
        : { LOCI_DATABASE_URL: postgres.databaseUrl, LOCI_MIGRATION_DATABASE_URL: postgres.ownerUrl }),
      LOCI_TEMPORAL_ADDRESS: address,
      LOCI_TEMPORAL_NAMESPACE: namespace,
      ...(temporal === null ? {} : { LOCI_TEMPORAL_UI_URL: temporal.uiUrl }),
      ...(weaviate === null
        ? {}
        : {
            LOCI_WEAVIATE_URL: weaviate.url,
            LOCI_WEAVIATE_GRPC: weaviate.grpc,
            LOCI_WEAVIATE_API_KEY: weaviate.apiKey,
          }),
    },
    temporalUi: temporal?.uiUrl ?? environment['LOCI_TEMPORAL_UI_URL'] ?? null,
    postgres: postgres?.process ?? null,
    temporal: temporal?.process ?? null,
    weaviate: weaviate?.process ?? null,
  };
}

/** Waits for all promises before it throws the first error, so that nothing is starting while the rest is stopped. */
async function allSettledOrThrow(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

function requiredPorts(environment: NodeJS.ProcessEnv): PortName[] {
  const servers = Object.entries(SERVER_PORTS).flatMap(([setting, names]) =>
    isSet(environment, setting) ? [] : names,
  );
  return ['api', 'worker', ...servers];
}

/** Where bytes are kept, and where they are worked on: on the same file system, unless a setting says otherwise. */
function blobFolders(environment: NodeJS.ProcessEnv, stateDir: string): Record<string, string> {
  const { LOCI_BLOB_DIR: blobDir, LOCI_BLOB_STORE: store, LOCI_WORK_DIR: workDir } = environment;
  if (blobDir && store !== 's3' && !workDir) return {};
  return { LOCI_BLOB_DIR: blobDir ?? join(stateDir, 'blobs'), LOCI_WORK_DIR: workDir ?? join(stateDir, 'work') };
}

function lociSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('LOCI_') && value !== undefined && value !== '') settings[name] = value;
  }
  return settings;
}

function generatedSecrets(environment: NodeJS.ProcessEnv, secrets: StackSecrets): Record<string, string> {
  const generated = {
    LOCI_ADMIN_TOKEN: secrets.admin_token,
    LOCI_API_KEY_PEPPER: secrets.api_key_pepper,
    LOCI_SECRET_KEYS: secrets.secret_keys,
  };
  return Object.fromEntries(Object.entries(generated).filter(([name]) => !isSet(environment, name)));
}

function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return Boolean(environment[name]);
}
