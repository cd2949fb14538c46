/** `npm start`: runs the whole product on one machine until Ctrl-C. */
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '#config/config-error.ts';
import { withoutSecretFiles } from '#config/secret-files.ts';
import { buildInBackground } from '#stack/console/build-in-background.ts';
import type { FirstRun } from './first-run.ts';
import { type RunningStack, startLocalStack } from './local-stack.ts';
import {
  createLociServices,
  type LociServices,
  loopbackOf,
  migrate,
  operatedByFirst,
  prepareFirstRun,
  PROJECT_DIR,
} from './loci-services.ts';
import type { ManagedProcess } from '#stack/processes/managed-process.ts';
import { requireValidSettings } from './require-valid-settings.ts';
import { reasonOf, StackError } from './stack-error.ts';
import { configuredPorts } from './stack-ports.ts';
import { writePrivateFile } from './stack-secrets.ts';
import { type Connection, startScreen } from './start-screen.ts';
import { supervise } from '#stack/processes/supervise.ts';
import { formatDuration, timedStep } from './timed-step.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const log = (line: string) => console.log(line);
const settings = readSettings();
const stateDir = resolve(PROJECT_DIR, settings['LOCI_STATE_DIR'] ?? '.loci');
const connectionFile = join(stateDir, 'connection.json');

/** During startup, a signal ends this process and the reaper stops the servers; after that, `stopInOrder` stops them. */
let onSignal = (): void => process.exit(130);
for (const signal of SIGNALS) process.on(signal, () => onSignal());

try {
  await start();
} catch (error) {
  exitWith(error);
}

function exitWith(error: unknown): never {
  const isExpected = error instanceof StackError || error instanceof ConfigError;
  console.error(`\n${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
}

/** The environment with the contents of the files that settings name: the processes that are started get values only. */
function readSettings(): NodeJS.ProcessEnv {
  try {
    return withoutSecretFiles(process.env);
  } catch (error) {
    return exitWith(error);
  }
}

async function start(): Promise<void> {
  const startedAt = performance.now();
  requireNoArguments();
  requireValidSettings(settings);
  const stack = await startLocalStack({
    stateDir,
    cacheDir: resolve(settings['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
    ports: configuredPorts(settings),
    environment: settings,
    isTemporary: false,
    log,
  });
  rmSync(connectionFile, { force: true });
  let services: LociServices | null = null;
  const stopping = new AbortController();
  const stopInOrder = async () => {
    stopping.abort();
    rmSync(connectionFile, { force: true });
    await services?.api.stop();
    await services?.worker.stop();
    await stack.stop();
  };
  try {
    await migrate(stack);
    const firstRun = await prepareFirstRun(stack);
    services = createLociServices(operatedByFirst(stack, firstRun));
    const processes = [services.api, services.worker];
    await timedStep({ log, title: 'Starting API and worker' }, () => startAll(processes));
    const servers = [stack.postgres, stack.temporal, stack.weaviate].filter((server) => server !== null);
    for (const managed of [...servers, ...processes]) supervise(managed, { log, signal: stopping.signal });
    const isBuildingConsole = buildInBackground({ log, signal: stopping.signal });
    publishConnection(stack, firstRun, { startedAt, isBuildingConsole });
  } catch (error) {
    await stopInOrder();
    throw error;
  }
  onSignal = stopThenForceExit(stopInOrder);
}

/** Writes `connection.json` and prints the start screen. */
function publishConnection(
  stack: RunningStack,
  firstRun: FirstRun,
  { startedAt, isBuildingConsole }: { startedAt: number; isBuildingConsole: boolean },
): void {
  const { environment } = stack;
  const localUrl = `http://${loopbackOf(environment['LOCI_HOST'])}:${stack.ports.api}`;
  const connection: Connection = {
    base_url: environment['LOCI_PUBLIC_URL'] ?? localUrl,
    api_key: firstRun.api_key,
    admin_token: environment['LOCI_ADMIN_TOKEN'] ?? '',
    workspace_id: firstRun.workspace_id,
    collection_id: firstRun.collection_id,
    temporal_ui: stack.temporalUi,
    embedder: firstRun.embedder,
    pid: process.pid,
  };
  writePrivateFile(connectionFile, `${JSON.stringify(connection, null, 2)}\n`);
  log(`Started in ${formatDuration(performance.now() - startedAt)}.`);
  const embedderNote = environment['LOCI_EMBEDDER_NOTE'] ?? null;
  const consoleUrl = consoleUrlOf(connection, firstRun);
  const exampleFile = join(PROJECT_DIR, 'README.md');
  log(startScreen({ connection, consoleUrl, embedderNote, isBuildingConsole, stateDir, exampleFile }));
}

/** The code is in the fragment, which browsers do not send, so that no log has it. */
function consoleUrlOf({ base_url: baseUrl }: Connection, { sign_in_code: code }: FirstRun): string {
  return `${baseUrl}/console/${code === null ? '' : `#code=${code}`}`;
}

/** @throws StackError */
function requireNoArguments(): void {
  const given = process.argv.slice(2);
  if (given.length === 0) return;
  throw new StackError(
    `npm start takes no arguments, but got: ${given.join(' ')}\nSettings are environment variables, for example LOCI_PORT=9700 npm start. The README lists them.`,
  );
}

async function startAll(processes: readonly ManagedProcess[]): Promise<void> {
  const results = await Promise.allSettled(processes.map((managed) => managed.start()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Returns a signal handler: the first signal stops everything in order; a second one exits at once, and the reaper stops the rest. */
function stopThenForceExit(stopInOrder: () => Promise<void>): () => void {
  let isStopping = false;
  return () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    log('\nStopping … (press Ctrl-C again to stop at once)');
    stopInOrder().then(
      () => {
        log('Stopped. All data is kept.');
        process.exit(0);
      },
      (error: unknown) => {
        console.error(`Stopping failed: ${reasonOf(error)}`);
        process.exit(1);
      },
    );
  };
}
