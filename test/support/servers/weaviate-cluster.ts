import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessRecords } from '#stack/processes/process-records.ts';
import { startReaper } from '#stack/processes/start-reaper.ts';
import { createLocalWeaviate, type LocalWeaviate } from '#stack/servers/local-weaviate.ts';
import { freePorts, type Ports } from '#stack/stack-ports.ts';
import { loadOrCreateStackSecrets } from '#stack/stack-secrets.ts';
import { startNodeRelay } from './node-relay.ts';

export type WeaviateCluster = {
  /** The nodes behind one address each for REST and gRPC. */
  url: string;
  grpc: string;
  apiKey: string;
  nodes: readonly LocalWeaviate[];
  /** Kills a node; connections to the cluster go to the others from then on, and those to this node break. */
  kill(node: number): Promise<void>;
  /** Starts a killed node again and waits until it is ready to serve. */
  restart(node: number): Promise<void>;
  stop(): Promise<void>;
};

/** How often replicas are compared, and how old a difference must be. The default of Weaviate is 30 s each. */
const COMPARISON_INTERVAL = '1s';

/** Starts a cluster of Weaviate nodes on free ports of this machine, each with a folder of its own, behind one address. */
export async function startWeaviateCluster(options: { cacheDir: string; size: number }): Promise<WeaviateCluster> {
  const stateDir = await mkdtemp(join(tmpdir(), 'loci-weaviate-'));
  const launcher = randomUUID();
  const ports = await portsOfNodes(options.size);
  const shared = {
    stateDir,
    cacheDir: options.cacheDir,
    secrets: loadOrCreateStackSecrets(stateDir),
    records: createProcessRecords(stateDir, launcher),
    environment: process.env,
    isTemporary: true,
    log: () => undefined,
  };
  for (const folder of ['logs', 'processes', ...ports.map((_, node) => nodeName(node))])
    await mkdir(join(stateDir, folder));
  const reaper = startReaper(stateDir, launcher, true);
  const nodes: LocalWeaviate[] = [];
  for (const [node, own] of ports.entries())
    nodes.push(
      await createLocalWeaviate(
        { ...shared, ports: own },
        { name: nodeName(node), settings: clusterSettings(ports, node) },
      ),
    );
  // Each waits for the others.
  await Promise.all(nodes.map((node) => node.process.start()));
  const [rest, grpc] = await Promise.all([
    startNodeRelay(nodes.map(({ url }) => new URL(url).host)),
    startNodeRelay(nodes.map((node) => node.grpc)),
  ]);
  const useRunning = () => {
    const running = nodes.filter((node) => node.process.pid() !== null);
    rest.use(running.map(({ url }) => new URL(url).host));
    grpc.use(running.map((node) => node.grpc));
  };
  return {
    url: `http://${rest.address}`,
    grpc: grpc.address,
    apiKey: shared.secrets.weaviate_api_key,
    nodes,
    kill: async (node) => {
      await nodes[node]?.process.kill('SIGKILL');
      useRunning();
    },
    restart: async (node) => {
      await nodes[node]?.process.start();
      useRunning();
    },
    stop: async () => {
      await Promise.all([rest.close(), grpc.close()]);
      await Promise.all(nodes.map((node) => node.process.kill('SIGKILL')));
      await reaper.release();
    },
  };
}

/** On one machine, Weaviate takes the port after that of Raft for its calls between nodes, and the one after gossip for data. */
async function portsOfNodes(size: number): Promise<Ports[]> {
  const free = await Promise.all(Array.from({ length: size }, freePorts));
  return free.map((own) => {
    const ports = { ...own, weaviateData: own.weaviateGossip + 1, weaviateRaftRpc: own.weaviateRaft + 1 };
    if (new Set(Object.values(ports)).size < Object.keys(ports).length) throw new Error('Ports are not consecutive');
    return ports;
  });
}

function nodeName(node: number): string {
  return `weaviate-${node}`;
}

function clusterSettings(ports: readonly Ports[], node: number): Record<string, string> {
  const others = ports.filter((_, place) => place !== node);
  return {
    CLUSTER_HOSTNAME: nodeName(node),
    CLUSTER_IN_LOCALHOST: 'true',
    CLUSTER_JOIN: others.map(({ weaviateGossip }) => `127.0.0.1:${weaviateGossip}`).join(','),
    RAFT_JOIN: ports.map(({ weaviateRaft }, place) => `${nodeName(place)}:${weaviateRaft}`).join(','),
    RAFT_BOOTSTRAP_EXPECT: String(ports.length),
    RAFT_ENABLE_ONE_NODE_RECOVERY: 'false',
    ASYNC_REPLICATION_FREQUENCY: COMPARISON_INTERVAL,
    ASYNC_REPLICATION_PROPAGATION_DELAY: COMPARISON_INTERVAL,
  };
}
