import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { childEnvironment } from './child-environment.ts';
import { createManagedProcess, type ManagedProcess } from '#stack/processes/managed-process.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { SEARCH_ATTRIBUTES } from './temporal-namespace.ts';
import type { ServerContext } from './server-context.ts';
import { MIN_TEMPORAL_SERVER_VERSION, TEMPORAL } from '#stack/versions.ts';

export type LocalTemporal = { process: ManagedProcess; address: string; uiUrl: string };

/** Obtains Temporal if necessary and returns the server with its UI, which runs after `process.start()`. */
export async function createLocalTemporal(context: ServerContext): Promise<LocalTemporal> {
  const file = await acquireServer(TEMPORAL, context, { rejectPathBinary: reasonToRejectServer });
  const dataDir = join(context.stateDir, 'temporal');
  const address = `127.0.0.1:${context.ports.temporal}`;
  const managed = createManagedProcess({
    name: 'temporal',
    title: 'Temporal',
    file,
    args: serverArguments(join(dataDir, 'temporal.db'), context),
    env: childEnvironment(context.environment, {}),
    cwd: dataDir,
    logFile: join(context.stateDir, 'logs', 'temporal.log'),
    records: context.records,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
    readyTimeoutMs: 90_000,
    isReady: () => servesNamespace(address),
  });
  return { process: managed, address, uiUrl: `http://127.0.0.1:${context.ports.temporalUi}` };
}

function serverArguments(databaseFile: string, { ports }: ServerContext): string[] {
  const attributes = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `--search-attribute=${name}=${type}`);
  return [
    'server',
    'start-dev',
    '--disable-config-file',
    '--disable-config-env',
    '--ip=127.0.0.1',
    `--port=${ports.temporal}`,
    `--http-port=${ports.temporalHttp}`,
    `--ui-port=${ports.temporalUi}`,
    '--ui-disable-news-fetch',
    `--metrics-port=${ports.temporalMetrics}`,
    `--db-filename=${databaseFile}`,
    // This doubles the activities per second. A killed server loses nothing.
    '--sqlite-pragma=journal_mode=wal',
    '--sqlite-pragma=synchronous=normal',
    // Without this setting, fairness keys are silently ignored.
    '--dynamic-config-value=matching.enableFairness=true',
    '--log-level=warn',
    ...attributes,
  ];
}

async function servesNamespace(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  } finally {
    await connection.close();
  }
}

async function reasonToRejectServer(binary: string): Promise<string | null> {
  const text = await runCommand({ file: binary, args: ['--version'] }).catch(() => '');
  const version = /Server (\d+\.\d+\.\d+)/.exec(text)?.[1];
  if (version === undefined) return 'it does not report its server version';
  return isOlder(version, MIN_TEMPORAL_SERVER_VERSION)
    ? `its server version is ${version}, but ${MIN_TEMPORAL_SERVER_VERSION} or newer is required`
    : null;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
