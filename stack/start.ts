/** `npm start`: the whole product on one machine, until Ctrl-C. */
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '#config/config-error.ts';
import { readConfig } from '#config/index.ts';
import { startLocalStack } from './local-stack.ts';
import { createLociServices, loopbackOf, migrate, prepareFirstRun, PROJECT_DIR } from './loci-services.ts';
import type { ManagedProcess } from './managed-process.ts';
import { reasonOf, StackError } from './stack-error.ts';
import { configuredPorts } from './stack-ports.ts';
import { writePrivateFile } from './stack-secrets.ts';
import { type Connection, startScreen } from './start-screen.ts';
import { supervise } from './supervise.ts';
import { formatDuration, timedStep } from './timed-step.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const log = (line: string) => console.log(line);
const stateDir = resolve(PROJECT_DIR, process.env['LOCI_STATE_DIR'] ?? '.loci');
const connectionFile = join(stateDir, 'connection.json');

/** Before everything runs, the reaper ends what was started; after that, `stopInOrder` does. */
let onSignal = (): void => process.exit(130);
for (const signal of SIGNALS) process.on(signal, () => onSignal());

try {
  await start();
} catch (error) {
  console.error(
    `\n${error instanceof StackError ? error.message : error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
}

async function start(): Promise<void> {
  const startedAt = performance.now();
  requireUsableSettings();
  const stack = await startLocalStack({
    stateDir,
    cacheDir: resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
    ports: configuredPorts(process.env),
    environment: process.env,
    isThrowAway: false,
    log,
  });
  rmSync(connectionFile, { force: true });
  const services = createLociServices(stack);
  const stopping = new AbortController();
  const stopInOrder = async () => {
    stopping.abort();
    rmSync(connectionFile, { force: true });
    await services.api.stop();
    await services.worker.stop();
    await stack.stop();
  };
  try {
    await migrate(stack);
    const first = await prepareFirstRun(stack);
    const both = [services.api, services.worker];
    await timedStep({ log, title: 'Starting API and worker' }, () => startAll(both));
    const servers = [stack.postgres, stack.temporal, stack.weaviate].filter((server) => server !== null);
    for (const managed of [...servers, ...both]) supervise(managed, { log, signal: stopping.signal });

    const connection: Connection = {
      base_url:
        stack.environment['LOCI_PUBLIC_URL'] ??
        `http://${loopbackOf(stack.environment['LOCI_HOST'])}:${stack.ports.api}`,
      api_key: first.api_key,
      admin_token: stack.environment['LOCI_ADMIN_TOKEN'] ?? '',
      workspace_id: first.workspace_id,
      collection_id: first.collection_id,
      temporal_ui: stack.temporalUi,
      embedder: first.embedder,
      pid: process.pid,
    };
    writePrivateFile(connectionFile, `${JSON.stringify(connection, null, 2)}\n`);
    log(`Started in ${formatDuration(performance.now() - startedAt)}.`);
    log(
      startScreen({
        connection,
        embedderNote: stack.environment['LOCI_EMBEDDER_NOTE'] ?? null,
        stateDir,
        exampleFile: join(PROJECT_DIR, 'README.md'),
      }),
    );
  } catch (error) {
    await stopInOrder();
    throw error;
  }
  onSignal = onceThenForce(stopInOrder);
}

/** Finds what API and worker would refuse before anything is started. What the stack makes up itself is filled in. */
function requireUsableSettings(): void {
  const madeUp = {
    LOCI_DATABASE_URL: 'made up',
    LOCI_SECRET_KEYS: 'made up',
    LOCI_API_KEY_PEPPER: 'made up'.repeat(5),
  };
  try {
    readConfig({ ...madeUp, ...process.env });
  } catch (error) {
    throw error instanceof ConfigError ? new StackError(error.message, { cause: error }) : error;
  }
}

async function startAll(processes: readonly ManagedProcess[]): Promise<void> {
  const results = await Promise.allSettled(processes.map((managed) => managed.start()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The first signal stops everything in order; a second one does not wait, and leaves the rest to the reaper. */
function onceThenForce(stopInOrder: () => Promise<void>): () => void {
  let isStopping = false;
  return () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    log('\nStopping … (once more to stop at once)');
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
