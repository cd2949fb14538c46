import { readTemporalSettings } from '#config/temporal-settings.ts';
import { startTemporalCluster } from '#bench/cluster/temporal-cluster.ts';
import type { RunningStack } from '#stack/local-stack.ts';
import type { ManagedProcess } from '#stack/processes/managed-process.ts';
import { prepareTemporalNamespace } from '#stack/servers/temporal-namespace.ts';
import { makeCertificates } from '#test/support/fixtures/certificates.ts';
import { startTlsProxy } from '#test/support/servers/tls-proxy.ts';

/** A Temporal that machines reach over TLS, its processes, and the settings that lead to it. */
export type SharedTemporal = {
  settings: Readonly<Record<string, string>>;
  processes: readonly ManagedProcess[];
  stop(): Promise<void>;
};

/** Puts the Temporal of a stack behind TLS: the development server itself offers none. */
export async function putBehindTls({ environment, temporal }: RunningStack): Promise<SharedTemporal> {
  if (temporal === null) throw new Error('Temporal must be started here');
  const { authority, server } = await makeCertificates();
  const proxy = await startTlsProxy(environment['LOCI_TEMPORAL_ADDRESS'] ?? '', { server, protocol: 'h2' });
  return {
    settings: { LOCI_TEMPORAL_ADDRESS: proxy.address, LOCI_TEMPORAL_TLS_CA: authority },
    processes: [temporal],
    stop: () => proxy.close(),
  };
}

/** Starts the real server, whose services are processes of their own over the Postgres of a stack, instead of its Temporal. */
export async function startClusterOver({ context, temporal }: RunningStack): Promise<SharedTemporal> {
  await temporal?.stop();
  const cluster = await startTemporalCluster(context);
  try {
    await prepareTemporalNamespace({ temporal: readTemporalSettings({ ...cluster.settings }), retentionDays: 1 });
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return { settings: cluster.settings, processes: Object.values(cluster.services), stop: () => cluster.stop() };
}
