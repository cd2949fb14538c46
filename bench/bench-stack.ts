import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig, type Config } from '#config/index.ts';
import { type RunningStack, startLocalStack } from '#stack/local-stack.ts';
import { createLociServices, type LociServices, migrate, prepareFirstRun } from '#stack/loci-services.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';

/** The whole product, running for one benchmark on free ports with temporary state. */
export type BenchStack = {
  client: ServiceClient;
  /** API key of the client. */
  apiKey: string;
  /** Configuration of API and worker, for parts that are measured in this process. */
  config: Config;
  workspaceId: string;
  /** API and worker processes; some benchmarks stop or kill them, or read their memory. */
  services: LociServices;
  servers: RunningStack;
};

/** Where servers and models are found or put. */
export const BENCH_CACHE_DIR = resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci'));

/** Settings that are inherited from the shell: the location of programs and models, never the location of data. */
const INHERITED_SETTINGS =
  /^LOCI_(CACHE_DIR|EMBEDDER_FOLDER|EMBEDDER_THREADS|RERANK_\w+|TEMPORAL_BINARY|WEAVIATE_BINARY|VERSITYGW_BINARY)$/;

/** Starts the product, runs `use`, and stops the product again in any case. */
export async function withBenchStack<Result>(
  settings: Readonly<Record<`LOCI_${string}`, string>>,
  use: (stack: BenchStack) => Promise<Result>,
): Promise<Result> {
  return withBenchServers(settings, async ({ servers, ...first }) => {
    const services = createLociServices(servers);
    try {
      await Promise.all([services.api.start(), services.worker.start()]);
      const client = createServiceClient(`http://127.0.0.1:${servers.ports.api}`, first.apiKey);
      return await use({ client, ...first, config: readConfig(servers.environment), services, servers });
    } finally {
      await services.api.stop();
      await services.worker.stop();
    }
  });
}

/** Servers with a database that has its first workspace, without API and worker. */
export type BenchServers = Pick<BenchStack, 'apiKey' | 'workspaceId' | 'servers'>;

/** Starts the servers, runs `use`, and stops them again in any case. */
export async function withBenchServers<Result>(
  settings: Readonly<Record<`LOCI_${string}`, string>>,
  use: (servers: BenchServers) => Promise<Result>,
): Promise<Result> {
  // If this process ends, the reaper stops the stack and removes its state.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LOCI_') || INHERITED_SETTINGS.test(name),
  );
  const environment = {
    ...Object.fromEntries(inherited),
    LOCI_LOG_LEVEL: 'info',
    LOCI_RATE_LIMIT_PER_MINUTE: '0',
    LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  };
  const servers = await startLocalStack({
    stateDir: join(realpathSync(tmpdir()), `loci-bench-${randomBytes(6).toString('hex')}`),
    cacheDir: BENCH_CACHE_DIR,
    ports: 'free',
    environment,
    isTemporary: true,
    log: (line) => console.error(line),
  });
  try {
    await migrate(servers);
    const first = await prepareFirstRun(servers);
    return await use({ apiKey: first.api_key, workspaceId: first.workspace_id, servers });
  } finally {
    await servers.stop();
  }
}
