import { Environment } from './environment.ts';

/** What the stack, the migration and the command-line client read themselves. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'LOCI_MIGRATION_DATABASE_URL',
  'LOCI_POSTGRES_PORT',
  'LOCI_STATE_DIR',
  'LOCI_TEMPORAL_BINARY',
  'LOCI_TEMPORAL_HTTP_PORT',
  'LOCI_TEMPORAL_METRICS_PORT',
  'LOCI_TEMPORAL_PORT',
  'LOCI_TEMPORAL_RETENTION_DAYS',
  'LOCI_TEMPORAL_UI_PORT',
  'LOCI_VERSITYGW_BINARY',
  'LOCI_WEAVIATE_BINARY',
  'LOCI_WEAVIATE_DATA_PORT',
  'LOCI_WEAVIATE_GOSSIP_PORT',
  'LOCI_WEAVIATE_GRPC_PORT',
  'LOCI_WEAVIATE_PORT',
  'LOCI_WEAVIATE_RAFT_PORT',
  'LOCI_WEAVIATE_RAFT_RPC_PORT',
  'LOCI_API_KEY',
  'LOCI_DEBUG',
  'LOCI_TOKEN',
  'LOCI_URL',
  'LOCI_WORKSPACE_ID',
]);

/** Variables of the tests, and those that Kubernetes sets for a Service whose name begins with `loci-`. */
const FOREIGN = /^LOCI_TEST_|_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP)/;

/**
 * Returns the names of the variables that look like settings and are none, such as misspelled ones. `values` are the settings of
 * the environment, each as a value.
 */
export function unknownSettings(values: Readonly<Record<string, string>>): string[] {
  // Entries name the variables that hold their keys.
  const entries = [values['LOCI_EMBEDDERS'], values['LOCI_PUBLIC_MODEL_PROVIDERS']].join('\n');
  const isKnown = (name: string) => name in Environment.shape || OTHER_VARIABLES.has(name) || entries.includes(name);
  return Object.keys(values).filter((name) => !isKnown(name) && !FOREIGN.test(name));
}
