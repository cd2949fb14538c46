import { isFreePort, reservePorts } from './reserve-ports.ts';
import { StackError } from './stack-error.ts';

/** The ports of the one-machine stack with their settings and defaults. */
const PORT_SETTINGS = {
  api: { setting: 'LOCI_PORT', defaultPort: 8700, title: 'API' },
  worker: { setting: 'LOCI_WORKER_PORT', defaultPort: 8701, title: 'worker' },
  temporal: { setting: 'LOCI_TEMPORAL_PORT', defaultPort: 8733, title: 'Temporal' },
  temporalUi: { setting: 'LOCI_TEMPORAL_UI_PORT', defaultPort: 8780, title: 'Temporal UI' },
  temporalHttp: { setting: 'LOCI_TEMPORAL_HTTP_PORT', defaultPort: 8734, title: 'Temporal HTTP API' },
  temporalMetrics: { setting: 'LOCI_TEMPORAL_METRICS_PORT', defaultPort: 8735, title: 'Temporal metrics' },
  postgres: { setting: 'LOCI_POSTGRES_PORT', defaultPort: 8754, title: 'PostgreSQL' },
  weaviate: { setting: 'LOCI_WEAVIATE_PORT', defaultPort: 8790, title: 'Weaviate' },
  weaviateGrpc: { setting: 'LOCI_WEAVIATE_GRPC_PORT', defaultPort: 8791, title: 'Weaviate gRPC' },
  weaviateGossip: { setting: 'LOCI_WEAVIATE_GOSSIP_PORT', defaultPort: 8792, title: 'Weaviate cluster gossip' },
  weaviateData: { setting: 'LOCI_WEAVIATE_DATA_PORT', defaultPort: 8793, title: 'Weaviate cluster data' },
  weaviateRaft: { setting: 'LOCI_WEAVIATE_RAFT_PORT', defaultPort: 8794, title: 'Weaviate Raft' },
  weaviateRaftRpc: { setting: 'LOCI_WEAVIATE_RAFT_RPC_PORT', defaultPort: 8795, title: 'Weaviate Raft RPC' },
} as const;

export type PortName = keyof typeof PORT_SETTINGS;
export type Ports = Readonly<Record<PortName, number>>;

const PORT_NAMES = Object.keys(PORT_SETTINGS) as PortName[]; // the keys of a literal object

/** Returns the configured ports. @throws StackError that names all settings with an invalid or duplicate port */
export function configuredPorts(environment: NodeJS.ProcessEnv): Ports {
  const problems: string[] = [];
  const owners = new Map<number, string>();
  const ports = fillPorts((name) => {
    const { setting, defaultPort } = PORT_SETTINGS[name];
    const text = environment[setting];
    const port = text === undefined || text === '' ? defaultPort : Number(text);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      problems.push(`${setting} is "${text}", which is not a port number`);
    const owner = owners.get(port);
    if (owner !== undefined) problems.push(`${setting} and ${owner} are both ${port}`);
    owners.set(port, setting);
    return port;
  });
  if (problems.length > 0) throw new StackError(problems.map((problem) => `${problem}.`).join('\n'));
  return ports;
}

/**
 * Returns ports that no other process of this machine gets in this way until this one ends. They are consecutive, in the order of
 * the names.
 */
export async function freePorts(): Promise<Ports> {
  const reserved = await reservePorts();
  return fillPorts((_name, index) => reserved[index] ?? 0);
}

/** @throws StackError that names the settings of all ports in `names` that are in use */
export async function requireFreePorts(ports: Ports, names: readonly PortName[]): Promise<void> {
  const problems: string[] = [];
  for (const name of names) {
    const { setting, title } = PORT_SETTINGS[name];
    if (!(await isFreePort(ports[name])))
      problems.push(`Port ${ports[name]} (${title}) is in use by another program. Set ${setting} to a free port.`);
  }
  if (problems.length > 0) throw new StackError(problems.join('\n'));
}

function fillPorts(portOf: (name: PortName, index: number) => number): Ports {
  return Object.fromEntries(PORT_NAMES.map((name, index) => [name, portOf(name, index)])) as Ports; // one entry for each name
}
