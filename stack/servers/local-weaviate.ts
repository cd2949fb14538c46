import { connect } from 'node:net';
import { join } from 'node:path';
import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { childEnvironment } from './child-environment.ts';
import { createManagedProcess, type ManagedProcess } from '#stack/processes/managed-process.ts';
import type { ServerContext } from './server-context.ts';
import { WEAVIATE } from '#stack/versions.ts';

export type LocalWeaviate = { process: ManagedProcess; url: string; grpc: string; apiKey: string };

/** One node of several on this machine. */
export type ClusterNode = {
  /** Names the process, its folder and its log. */
  name: string;
  /** Settings of the cluster, which replace those of a single node. */
  settings: Readonly<Record<string, string>>;
};

const SINGLE_NODE: ClusterNode = { name: 'weaviate', settings: {} };

/** Obtains Weaviate if necessary and returns the server, which runs after `process.start()`. */
export async function createLocalWeaviate(context: ServerContext, node = SINGLE_NODE): Promise<LocalWeaviate> {
  const file = await acquireServer(WEAVIATE, context);
  const dataDir = join(context.stateDir, node.name);
  const { ports } = context;
  const url = `http://127.0.0.1:${ports.weaviate}`;
  const managed = createManagedProcess({
    name: node.name,
    title: 'Weaviate',
    file,
    args: ['--host', '127.0.0.1', '--port', String(ports.weaviate), '--scheme', 'http'],
    env: childEnvironment(context.environment, { ...serverSettings(dataDir, context), ...node.settings }),
    cwd: dataDir,
    logFile: join(context.stateDir, 'logs', `${node.name}.log`),
    records: context.records,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
    readyTimeoutMs: 120_000,
    isReady: async (signal) => {
      const answer = await fetch(`${url}/v1/.well-known/ready`, { signal });
      await answer.body?.cancel();
      return answer.ok && (await acceptsConnections(ports.weaviateGrpc));
    },
  });
  return { process: managed, url, grpc: `127.0.0.1:${ports.weaviateGrpc}`, apiKey: context.secrets.weaviate_api_key };
}

/** The gRPC and cluster data ports always listen on every interface, so both require a key or password. */
function serverSettings(dataDir: string, { ports, secrets }: ServerContext): Record<string, string> {
  return {
    PERSISTENCE_DATA_PATH: dataDir,
    AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED: 'false',
    AUTHENTICATION_APIKEY_ENABLED: 'true',
    AUTHENTICATION_APIKEY_ALLOWED_KEYS: secrets.weaviate_api_key,
    AUTHENTICATION_APIKEY_USERS: 'loci',
    AUTHORIZATION_ADMINLIST_ENABLED: 'true',
    AUTHORIZATION_ADMINLIST_USERS: 'loci',
    GRPC_PORT: String(ports.weaviateGrpc),
    // The node name is part of the stored state, so it must not depend on the name of the machine.
    CLUSTER_HOSTNAME: 'loci',
    CLUSTER_BIND_ADDR: '127.0.0.1',
    CLUSTER_ADVERTISE_ADDR: '127.0.0.1',
    CLUSTER_GOSSIP_BIND_PORT: String(ports.weaviateGossip),
    CLUSTER_DATA_BIND_PORT: String(ports.weaviateData),
    CLUSTER_BASIC_AUTH_USERNAME: 'loci',
    CLUSTER_BASIC_AUTH_PASSWORD: secrets.weaviate_cluster_password,
    RAFT_PORT: String(ports.weaviateRaft),
    RAFT_INTERNAL_RPC_PORT: String(ports.weaviateRaftRpc),
    RAFT_BOOTSTRAP_EXPECT: '1',
    // A single node has no network latency between members.
    RAFT_TIMEOUTS_MULTIPLIER: '1',
    // To Raft, a change of ports is a change of address.
    RAFT_ENABLE_ONE_NODE_RECOVERY: 'true',
    DEFAULT_VECTORIZER_MODULE: 'none',
    API_BASED_MODULES_DISABLED: 'true',
    AUTOSCHEMA_ENABLED: 'false',
    QUERY_MAXIMUM_RESULTS: '100000',
    GO_PROFILING_DISABLE: 'true',
    DISABLE_TELEMETRY: 'true',
    // By default Weaviate becomes read-only when the disk is 90 % full, which is common on a desktop.
    DISK_USE_WARNING_PERCENTAGE: '95',
    DISK_USE_READONLY_PERCENTAGE: '98',
    LOG_LEVEL: 'warning',
  };
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
