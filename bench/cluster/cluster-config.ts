export const CLUSTER_SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
export type ClusterService = (typeof CLUSTER_SERVICES)[number];

/** Ports of a service: of its calls, and of the ring in which the services find one another. */
export type ServicePorts = { grpc: number; membership: number };

/** Paths of PEM files, and the name in the certificate of the server. */
export type CertificateFiles = {
  authority: string;
  server: string;
  serverKey: string;
  client: string;
  clientKey: string;
  serverName: string;
};

export type ClusterConfigOptions = {
  postgres: { port: number; user: string; password: string };
  ports: Readonly<Record<ClusterService, ServicePorts>>;
  certificates: CertificateFiles;
  dynamicConfigFile: string;
};

/** Cannot be changed after the databases are created. */
const HISTORY_SHARDS = 16;

/** The configuration of a server whose services are processes of their own; the frontend demands client certificates. */
export function clusterConfig({ postgres, ports, certificates, dynamicConfigFile }: ClusterConfigOptions): object {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgres.port}`,
      connectProtocol: 'tcp',
      user: postgres.user,
      password: postgres.password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const { authority, server, serverKey, client, clientKey, serverName } = certificates;
  const frontendAddress = `127.0.0.1:${ports.frontend.grpc}`;
  const trust = { serverName, rootCaFiles: [authority] };
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { default: store('temporal', 10), visibility: store('temporal_visibility', 3) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      tls: {
        frontend: {
          server: { certFile: server, keyFile: serverKey, requireClientAuth: true, clientCaFiles: [authority] },
          client: trust,
        },
        systemWorker: { certFile: client, keyFile: clientKey, client: trust },
      },
    },
    services: Object.fromEntries(
      CLUSTER_SERVICES.map((name) => [
        name,
        { rpc: { grpcPort: ports[name].grpc, membershipPort: ports[name].membership, bindOnLocalHost: true } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontendAddress },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontendAddress },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '60s' },
  };
}
