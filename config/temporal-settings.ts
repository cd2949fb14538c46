import { ConfigError } from './config-error.ts';
import { describeIssue, plainWords } from './describe-issue.ts';
import { Environment } from './environment.ts';
import { readSecretFiles } from './secret-files.ts';

const TemporalEnvironment = Environment.pick({
  LOCI_TEMPORAL_ADDRESS: true,
  LOCI_TEMPORAL_NAMESPACE: true,
  LOCI_TEMPORAL_NAMESPACE_MANAGED: true,
  LOCI_TEMPORAL_TLS: true,
  LOCI_TEMPORAL_TLS_CA: true,
  LOCI_TEMPORAL_TLS_CERT: true,
  LOCI_TEMPORAL_TLS_KEY: true,
  LOCI_TEMPORAL_TLS_SERVER_NAME: true,
  LOCI_TEMPORAL_API_KEY: true,
  LOCI_TEMPORAL_CODEC: true,
  LOCI_WORKER_DEPLOYMENT: true,
  LOCI_WORKER_BUILD_ID: true,
});
type TemporalEnvironment = Pick<Environment, keyof typeof TemporalEnvironment.shape>;

/** How to reach Temporal, and what encodes what it stores. */
export type TemporalSettings = ReturnType<typeof temporalSettings>;

/** Reads only the settings of Temporal, for commands that need no others. @throws ConfigError with every problem at once */
export function readTemporalSettings(environment: NodeJS.ProcessEnv): TemporalSettings {
  const { values, problems } = readSecretFiles(environment);
  const parsed = TemporalEnvironment.safeParse(values, { error: plainWords });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(describeIssue));
  const names = Object.keys(TemporalEnvironment.shape);
  const unreadable = problems.filter((line) => names.some((name) => line.startsWith(name)));
  const found = [...unreadable, ...temporalProblems(parsed.data)];
  if (found.length > 0) throw new ConfigError(found);
  return temporalSettings(parsed.data);
}

/** Returns what is wrong with the settings of the connection to Temporal. */
export function temporalProblems(env: TemporalEnvironment): string[] {
  const problems: string[] = [];
  if (!env.LOCI_TEMPORAL_TLS_CERT !== !env.LOCI_TEMPORAL_TLS_KEY) {
    problems.push('LOCI_TEMPORAL_TLS_CERT and LOCI_TEMPORAL_TLS_KEY go together: set both or neither');
  }
  if (env.LOCI_TEMPORAL_TLS === false && needsTls(env)) {
    problems.push('LOCI_TEMPORAL_TLS=false contradicts the certificates and the server name: remove it, or them');
  }
  if (!env.LOCI_WORKER_DEPLOYMENT !== !env.LOCI_WORKER_BUILD_ID) {
    problems.push('LOCI_WORKER_DEPLOYMENT and LOCI_WORKER_BUILD_ID go together: set both or neither');
  }
  return problems;
}

/** Returns how to reach Temporal. `tls` is null for a connection without TLS. */
export function temporalSettings(env: TemporalEnvironment) {
  const { LOCI_TEMPORAL_TLS_CERT: certificate, LOCI_TEMPORAL_TLS_KEY: key } = env;
  const { LOCI_WORKER_DEPLOYMENT: deploymentName, LOCI_WORKER_BUILD_ID: buildId } = env;
  const apiKey = env.LOCI_TEMPORAL_API_KEY ?? null;
  const hasTls = env.LOCI_TEMPORAL_TLS ?? (needsTls(env) || apiKey !== null);
  return {
    address: env.LOCI_TEMPORAL_ADDRESS,
    namespace: env.LOCI_TEMPORAL_NAMESPACE,
    /** True: others create the namespace and its search attributes. */
    isManaged: env.LOCI_TEMPORAL_NAMESPACE_MANAGED,
    tls: hasTls
      ? {
          /** PEM; null: the authorities that the system trusts. */
          authority: env.LOCI_TEMPORAL_TLS_CA ?? null,
          serverName: env.LOCI_TEMPORAL_TLS_SERVER_NAME ?? null,
          /** PEM; null: without a client certificate. */
          client: certificate && key ? { certificate, key } : null,
        }
      : null,
    apiKey,
    /** Path of a module that encodes what Temporal stores; null: nothing is encoded. */
    codecPath: env.LOCI_TEMPORAL_CODEC ?? null,
    /** The version of these workers; null: every worker takes every task. */
    workerVersion: deploymentName && buildId ? { deploymentName, buildId } : null,
  };
}

function needsTls(env: TemporalEnvironment): boolean {
  return [env.LOCI_TEMPORAL_TLS_CA, env.LOCI_TEMPORAL_TLS_CERT, env.LOCI_TEMPORAL_TLS_SERVER_NAME].some(Boolean);
}
