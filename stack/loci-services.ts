import { join } from 'node:path';
import { z } from 'zod';
import { createManagedProcess, type ManagedProcess } from './managed-process.ts';
import { runCommand } from './run-command.ts';
import type { ServerContext } from './server-context.ts';
import { timedStep } from './timed-step.ts';

/** The folder of the checkout. */
export const PROJECT_DIR = join(import.meta.dirname, '..');

/** Loci's own two processes. */
export type LociServices = { api: ManagedProcess; worker: ManagedProcess };

type Surroundings = { context: ServerContext; environment: Readonly<Record<string, string>> };

/** Describes the API and the worker; they run after `start()`. `environment` is what a running stack offers. */
export function createLociServices(surroundings: Surroundings): LociServices {
  const { api, worker } = surroundings.context.ports;
  return {
    api: service({ name: 'api', title: 'API', main: 'api/main.ts', port: api }, surroundings),
    worker: service({ name: 'worker', title: 'Worker', main: 'workers/main.ts', port: worker }, surroundings),
  };
}

/** Brings the database to the present schema. @throws StackError with the migration's output */
export async function migrate(surroundings: Surroundings): Promise<void> {
  await timedStep({ log: surroundings.context.log, title: 'Migrating the database' }, () =>
    runMain('migrations/run.ts', surroundings),
  );
}

const FirstRunAnswer = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  api_key: z.string(),
  embedder: z.string(),
});

/** Makes the first workspace, API key and collection, or finds them. @throws StackError */
export async function prepareFirstRun(surroundings: Surroundings): Promise<z.infer<typeof FirstRunAnswer>> {
  const output = await runMain('stack/show-first-run.ts', surroundings);
  return FirstRunAnswer.parse(JSON.parse(output.trimEnd().split('\n').at(-1) ?? ''));
}

function runMain(main: string, { context, environment }: Surroundings): Promise<string> {
  return runCommand({
    file: process.execPath,
    args: [main],
    cwd: PROJECT_DIR,
    baseEnvironment: {},
    env: serviceEnvironment(context, environment),
  });
}

/** Garbage is collected earlier, in MiB: the worker took 100 MiB less at its peak and not a second more. As in package.json and the containers. */
const SMALL_NURSERY = '--max-semi-space-size=8';

type Service = { name: string; title: string; main: string; port: number };

function service({ name, title, main, port }: Service, { context, environment }: Surroundings): ManagedProcess {
  const host = loopbackOf(environment['LOCI_HOST']);
  return createManagedProcess({
    name,
    title,
    file: process.execPath,
    args: [SMALL_NURSERY, main],
    env: serviceEnvironment(context, environment),
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

/** The address under which this machine reaches a server that listens on `host`. */
export function loopbackOf(host: string | undefined): string {
  if (host === undefined || host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** The launcher's environment, for proxies and the like, with the stack's settings alone under the names that are Loci's. */
function serviceEnvironment(
  context: ServerContext,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const others = Object.entries(context.environment).flatMap(([name, value]) =>
    value === undefined || name.startsWith('LOCI_') ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(others), ...environment };
}
