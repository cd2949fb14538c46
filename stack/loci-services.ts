import { join } from 'node:path';
import { z } from 'zod';
import { createManagedProcess, type ManagedProcess } from '#stack/processes/managed-process.ts';
import type { FirstRun } from './first-run.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import type { ServerContext } from '#stack/servers/server-context.ts';
import { timedStep } from './timed-step.ts';

/** The root folder of the checkout. */
export const PROJECT_DIR = join(import.meta.dirname, '..');

/** Loci's own two processes. */
export type LociServices = { api: ManagedProcess; worker: ManagedProcess };

type ServiceSetup = { context: ServerContext; environment: Readonly<Record<string, string>> };

/**
 * Creates the API and worker processes, which run after `start()`. `environment` is that of a running stack. `suffix` tells the names
 * and logs of several pairs apart.
 */
export function createLociServices(setup: ServiceSetup, suffix = ''): LociServices {
  const { api, worker } = setup.context.ports;
  const [apiName, workerName] = [`api${suffix}`, `worker${suffix}`];
  return {
    api: createService({ name: apiName, title: 'API', main: 'api/main.ts', port: api }, setup),
    worker: createService({ name: workerName, title: 'Worker', main: 'workers/main.ts', port: worker }, setup),
  };
}

/** Migrates the database to the current schema. @throws StackError with the output of the migration */
export async function migrate(setup: ServiceSetup): Promise<void> {
  await timedStep({ log: setup.context.log, title: 'Migrating the database' }, () =>
    runMain('migrations/run.ts', setup),
  );
}

const FirstRunOutput = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  api_key: z.string(),
  sign_in_code: z.string().nullable(),
  embedder: z.string(),
});

/** Returns the first workspace, API key and collection; creates them if they are missing. @throws StackError */
export async function prepareFirstRun(setup: ServiceSetup): Promise<FirstRun> {
  const output = await runMain('stack/show-first-run.ts', setup);
  return FirstRunOutput.parse(JSON.parse(output.trimEnd().split('\n').at(-1) ?? ''));
}

/** Returns the setup with the workspace of the first run as the one that operates the service, unless a setting names others. */
export function operatedByFirst<Setup extends ServiceSetup>(setup: Setup, first: FirstRun): Setup {
  return { ...setup, environment: { LOCI_OPERATOR_WORKSPACES: first.workspace_id, ...setup.environment } };
}

function runMain(main: string, { context, environment }: ServiceSetup): Promise<string> {
  return runCommand({
    file: process.execPath,
    args: [main],
    cwd: PROJECT_DIR,
    baseEnvironment: {},
    env: serviceEnvironment(context, environment),
  });
}

/**
 * Size of V8's young generation in MiB. It lowers the peak memory of the worker by 100 MiB and does not slow it down.
 * package.json and the containers use the same value.
 */
const SEMI_SPACE_FLAG = '--max-semi-space-size=8';

/**
 * How many pools glibc allocates memory from. Its default, eight per core, keeps 100 MiB more in the worker: each thread of the
 * runtime and of the models has a pool of its own, and what one frees no other can use. The image sets the same value.
 */
const MALLOC_POOLS = '2';

type ServiceSpec = { name: string; title: string; main: string; port: number };

function createService(
  { name, title, main, port }: ServiceSpec,
  { context, environment }: ServiceSetup,
): ManagedProcess {
  const host = loopbackOf(environment['LOCI_HOST']);
  return createManagedProcess({
    name,
    title,
    file: process.execPath,
    args: [SEMI_SPACE_FLAG, main],
    env: serviceEnvironment(context, withoutOwner(environment)),
    cwd: PROJECT_DIR,
    logFile: join(context.stateDir, 'logs', `${name}.log`),
    records: context.records,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 40_000,
    readyTimeoutMs: 120_000,
    isReady: async (signal) => {
      const answer = await fetch(`http://${host}:${port}/readyz`, { signal });
      await answer.body?.cancel();
      return answer.ok;
    },
  });
}

/** Returns the address at which this machine reaches a server that listens on `host`. */
export function loopbackOf(host: string | undefined): string {
  if (host === undefined || host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the launcher's environment (for proxies and the like), with `LOCI_` variables only from the stack. */
function serviceEnvironment(
  context: ServerContext,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const others = Object.entries(context.environment).flatMap(([name, value]) =>
    value === undefined || name.startsWith('LOCI_') ? [] : [[name, value] as const],
  );
  return {
    MALLOC_ARENA_MAX: MALLOC_POOLS,
    // Compiling takes a third of the processor time of a start.
    NODE_COMPILE_CACHE: join(context.stateDir, 'compiled'),
    ...Object.fromEntries(others),
    ...environment,
  };
}

/** The environment without what only migrations may have. */
function withoutOwner({
  LOCI_MIGRATION_DATABASE_URL: _owner,
  ...environment
}: Readonly<Record<string, string>>): Record<string, string> {
  return environment;
}
