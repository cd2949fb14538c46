const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Lists of hosts that are reached without a proxy. Where one is set, it hides the others, so that all get the hosts of all. */
const LISTS = ['no_proxy', 'NO_PROXY'];
/** Hides the others for gRPC. */
const GRPC_LIST = 'no_grpc_proxy';

/**
 * Returns the variables by which programs reach the servers of this machine without the proxy that others may name
 * (`https_proxy` …). The client of gRPC, unlike others, does not know by itself that a proxy cannot reach a loopback address.
 */
export function loopbackWithoutProxy(environment: NodeJS.ProcessEnv): Record<string, string> {
  const hosts = LISTS.flatMap((name) => (environment[name] ?? '').split(','));
  const grpcHosts = environment[GRPC_LIST];
  return {
    ...Object.fromEntries(LISTS.map((name) => [name, listOf([...hosts, ...LOOPBACK])])),
    ...(grpcHosts ? { [GRPC_LIST]: listOf([...grpcHosts.split(','), ...LOOPBACK]) } : {}),
  };
}

/** For gRPC, an empty name would be the end of every name. */
function listOf(hosts: readonly string[]): string {
  return [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))].join(',');
}
