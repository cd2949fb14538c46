import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withBenchServers, type BenchServers } from '#bench/bench-stack.ts';
import { withTestStack } from '#bench/with-test-stack.ts';
import { createLociServices, type LociServices } from '#stack/loci-services.ts';
import type { ManagedProcess } from '#stack/processes/managed-process.ts';
import { freePorts } from '#stack/stack-ports.ts';
import { DOWNLOAD_ADDRESS, type TestStack } from '#test/support/harness/stack.ts';
import { startS3Server, type S3Server } from '#test/support/buckets/s3-server.ts';
import { startWeaviateCluster, type WeaviateCluster } from '#test/support/servers/weaviate-cluster.ts';
import { putBehindTls, startClusterOver } from './shared-temporal.ts';

/** API and worker with a folder of their own, as on a machine that shares no disk with others. */
export type Machine = { folder: string; services: LociServices; baseUrl: string; workerUrl: string };

/** Machines, and the servers that they share: Postgres, Temporal behind TLS, S3, a cluster of Weaviate. */
export type Machines = BenchServers & {
  machines: readonly [Machine, ...Machine[]];
  bucket: S3Server;
  cluster: WeaviateCluster;
  /** One process, or those of a cluster. */
  temporal: readonly ManagedProcess[];
  /** With the processes of the first machine. */
  stack: TestStack;
};

export type MachinesOptions = { count: number; cacheDir: string; temporal: 'one' | 'cluster' };

const WEAVIATE_NODES = 3;

/** Starts servers and machines on free ports with temporary state, runs `use`, and stops everything again in any case. */
export async function withMachines<Result>(
  { count, cacheDir, temporal }: MachinesOptions,
  use: (machines: Machines) => Promise<Result>,
): Promise<Result> {
  await using closing = new AsyncDisposableStack();
  const bucket = await startS3Server();
  closing.defer(() => bucket.close());
  const cluster = await startWeaviateCluster({ cacheDir, size: WEAVIATE_NODES });
  closing.defer(() => cluster.stop());
  const settings = {
    LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS,
    ...bucket.environment,
    LOCI_WEAVIATE_URL: cluster.url,
    LOCI_WEAVIATE_GRPC: cluster.grpc,
    LOCI_WEAVIATE_API_KEY: cluster.apiKey,
  } as const;
  return await withBenchServers(settings, async (first) => {
    await using running = new AsyncDisposableStack();
    const shared = await (temporal === 'cluster' ? startClusterOver(first.servers) : putBehindTls(first.servers));
    running.defer(() => shared.stop());
    const machines: [Machine, ...Machine[]] = [await createMachine(first, 1, shared.settings)];
    for (let number = 2; number <= count; number += 1)
      machines.push(await createMachine(first, number, shared.settings));
    for (const { services } of machines)
      running.defer(async () => void (await Promise.all([services.api.stop(), services.worker.stop()])));
    await Promise.all(machines.flatMap(({ services }) => [services.api.start(), services.worker.start()]));
    const [{ services }] = machines;
    return await withTestStack({ ...first, services }, (stack) =>
      use({ ...first, machines, bucket, cluster, temporal: shared.processes, stack }),
    );
  });
}

async function createMachine({ servers }: BenchServers, number: number, settings: Readonly<Record<string, string>>) {
  const folder = join(servers.context.stateDir, `machine-${number}`);
  await mkdir(folder);
  const ports = await freePorts();
  const environment = {
    ...servers.environment,
    ...settings,
    LOCI_STATE_DIR: folder,
    LOCI_BLOB_DIR: join(folder, 'blobs'),
    LOCI_WORK_DIR: join(folder, 'work'),
    LOCI_PORT: String(ports.api),
    LOCI_WORKER_PORT: String(ports.worker),
  };
  const services = createLociServices({ context: { ...servers.context, ports }, environment }, `-${number}`);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return { folder, services, baseUrl: at(ports.api), workerUrl: at(ports.worker) };
}
