import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { chooseEmbedder } from './choose-embedder.ts';
import { createLocalPostgres } from './local-postgres.ts';
import { createLocalTemporal } from './local-temporal.ts';
import { createLocalWeaviate } from './local-weaviate.ts';
import type { ManagedProcess } from './managed-process.ts';
import { createProcessRecords } from './process-records.ts';
import { prepareNamespace } from './search-attributes.ts';
import type { ServerContext } from './server-context.ts';
import { freePorts, type PortName, type Ports, requireFreePorts } from './stack-ports.ts';
import { loadStackSecrets, type StackSecrets } from './stack-secrets.ts';
import { claimStateFolder, removeStateFolder } from './state-folder.ts';
import { type Log, timedStep } from './timed-step.ts';

export type StackOptions = {
  /** Kept between starts, unless it is thrown away. */
  stateDir: string;
  cacheDir: string;
  ports: 'free' | Ports;
  /** Settings are looked up here; a server whose address is given is used instead of one of our own. */
  environment: NodeJS.ProcessEnv;
  /** Removes the state folder when the stack stops, or when its launcher is killed. */
  isThrowAway: boolean;
  log: Log;
};

/** The servers, running. */
export type RunningStack = {
  /** Every `LOCI_` variable that API, worker and tests need. */
  environment: Record<string, string>;
  ports: Ports;
  /** Null when Temporal is somebody else's. */
  temporalUi: string | null;
  /** Servers of our own, for those that kill and restart them; null when somebody else's is used. */
  postgres: ManagedProcess | null;
  temporal: ManagedProcess | null;
  weaviate: ManagedProcess | null;
  /** What API and worker are started from, so that they are ended with the rest. */
  context: ServerContext;
  stop(): Promise<void>;
};

const RETENTION_DAYS = 7;

/** Ports of the servers that each setting makes unnecessary. */
const SERVER_PORTS: Record<string, readonly PortName[]> = {
  LOCI_DATABASE_URL: ['postgres'],
  LOCI_TEMPORAL_ADDRESS: ['temporal', 'temporalUi', 'temporalHttp', 'temporalMetrics'],
  LOCI_WEAVIATE_URL: ['weaviate', 'weaviateGrpc', 'weaviateGossip', 'weaviateData', 'weaviateRaft', 'weaviateRaftRpc'],
};

/**
 * Starts PostgreSQL, Temporal and Weaviate as child processes, obtaining what is missing, and waits until they serve.
 * @throws StackError, with everything stopped again
 */
export async function startLocalStack(options: StackOptions): Promise<RunningStack> {
  const stateDir = resolve(options.stateDir);
  const lock = await claimStateFolder(stateDir, options.log);
  const launcher = randomUUID();
  const secrets = loadStackSecrets(stateDir);
  const ports = options.ports === 'free' ? await freePorts() : options.ports;
  const records = createProcessRecords(stateDir, launcher);
  const context: ServerContext = { ...options, stateDir, ports, secrets, records };
  const reaper = startReaper(stateDir, launcher, options.isThrowAway);
  const servers: ManagedProcess[] = [];
  const stop = async () => {
    // Nobody is connected any more when PostgreSQL stops, so that it stops at once.
    for (const server of servers.toReversed()) await server.stop();
    lock.release();
    if (options.isThrowAway) removeStateFolder(stateDir);
    await reaper.release();
  };
  try {
    await requireFreePorts(ports, portsInUse(options.environment));
    return { ...(await startServers(context, servers)), ports, context, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServers(context: ServerContext, servers: ManagedProcess[]) {
  const { environment, log } = context;
  // One after the other: two builds at once would only fight for the cores.
  const embedder = await chooseEmbedder(context);
  const postgres = isSet(environment, 'LOCI_DATABASE_URL') ? null : await createLocalPostgres(context);
  const temporal = isSet(environment, 'LOCI_TEMPORAL_ADDRESS') ? null : await createLocalTemporal(context);
  const weaviate = isSet(environment, 'LOCI_WEAVIATE_URL') ? null : await createLocalWeaviate(context);
  const own = [postgres, temporal, weaviate].flatMap((server) => (server === null ? [] : [server.process]));
  servers.push(...own);
  const title = `Starting ${own.map((server) => server.title).join(', ')}`;
  if (own.length > 0) await timedStep({ log, title }, () => allSettledOrThrow(own.map((server) => server.start())));

  const address = temporal?.address ?? environment['LOCI_TEMPORAL_ADDRESS'] ?? '';
  const namespace = environment['LOCI_TEMPORAL_NAMESPACE'] ?? 'default';
  await prepareNamespace({ address, namespace, retentionDays: temporal === null ? null : RETENTION_DAYS });
  return {
    environment: {
      ...settingsOf(environment),
      ...generatedSecrets(environment, context.secrets),
      ...embedder,
      LOCI_STATE_DIR: context.stateDir,
      LOCI_CACHE_DIR: context.cacheDir,
      LOCI_BLOB_DIR: environment['LOCI_BLOB_DIR'] ?? join(context.stateDir, 'blobs'),
      LOCI_PORT: String(context.ports.api),
      LOCI_WORKER_PORT: String(context.ports.worker),
      ...(postgres === null ? {} : { LOCI_DATABASE_URL: postgres.databaseUrl }),
      LOCI_TEMPORAL_ADDRESS: address,
      LOCI_TEMPORAL_NAMESPACE: namespace,
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

/** Waits for all before the first failure is thrown, so that nothing is being started while the rest is stopped. */
async function allSettledOrThrow(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

function startReaper(stateDir: string, launcher: string, isThrowAway: boolean) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'reaper.ts'), stateDir, launcher, ...(isThrowAway ? ['--remove'] : [])],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  const gone = new Promise<void>((settle) => {
    child.once('exit', () => settle());
    child.once('error', () => settle());
  });
  child.unref();
  return {
    async release() {
      child.ref();
      child.stdin.end();
      await gone;
    },
  };
}

function portsInUse(environment: NodeJS.ProcessEnv): PortName[] {
  const servers = Object.entries(SERVER_PORTS).flatMap(([setting, names]) =>
    isSet(environment, setting) ? [] : names,
  );
  return ['api', 'worker', ...servers];
}

function settingsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
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

/** True when a setting is given, itself or as the name of a file that holds it. */
function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return [name, `${name}_FILE`].some((key) => environment[key] !== undefined && environment[key] !== '');
}
