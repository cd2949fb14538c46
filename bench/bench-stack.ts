import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig, type Config } from '#config/index.ts';
import { type RunningStack, startLocalStack } from '#stack/local-stack.ts';
import { createLociServices, type LociServices, migrate, prepareFirstRun } from '#stack/loci-services.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';

/** The whole product, running for one benchmark on free ports with state that is thrown away. */
export type BenchStack = {
  client: ServiceClient;
  /** What the client is let in with. */
  apiKey: string;
  /** What API and worker run with; for the parts that are measured alone in this process. */
  config: Config;
  workspaceId: string;
  /** API and worker, to be stopped while something is measured alone, and to be looked at. */
  services: LociServices;
  servers: RunningStack;
};

/** Settings of the shell that may reach a benchmark: where programs come from, never where data is. */
const PASSED_ON = /^LOCI_(CACHE_DIR|EMBEDDER_FOLDER|EMBEDDER_THREADS|TEMPORAL_BINARY|WEAVIATE_BINARY)$/;

/** Brings the product up, lets `use` measure, and takes it down again whatever happens. */
export async function withBenchStack<Result>(
  settings: Readonly<Record<`LOCI_${string}`, string>>,
  use: (stack: BenchStack) => Promise<Result>,
): Promise<Result> {
  // Whatever ends this process, the reaper ends the stack and removes its state.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_') || PASSED_ON.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    LOCI_LOG_LEVEL: 'info',
    LOCI_RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  };
  const servers = await startLocalStack({
    stateDir: join(realpathSync(tmpdir()), `loci-bench-${randomBytes(6).toString('hex')}`),
    cacheDir: resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
    ports: 'free',
    environment,
    isTemporary: true,
    log: (line) => console.error(line),
  });
  const services = createLociServices(servers);
  try {
    await migrate(servers);
    const first = await prepareFirstRun(servers);
    await Promise.all([services.api.start(), services.worker.start()]);
    const client = createServiceClient(`http://127.0.0.1:${servers.ports.api}`, first.api_key);
    const config = readConfig(servers.environment);
    return await use({ client, apiKey: first.api_key, config, workspaceId: first.workspace_id, services, servers });
  } finally {
    await services.api.stop();
    await services.worker.stop();
    await servers.stop();
  }
}
