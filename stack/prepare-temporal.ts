/** `node stack/prepare-temporal.ts`: prepares the namespace of a Temporal server for Loci. Idempotent. */
import { prepareTemporalNamespace } from '#stack/servers/temporal-namespace.ts';
import { reasonOf } from './stack-error.ts';

const address = process.env['LOCI_TEMPORAL_ADDRESS'] ?? '127.0.0.1:8733';
const namespace = process.env['LOCI_TEMPORAL_NAMESPACE'] ?? 'default';
const retentionDays = Number(process.env['LOCI_TEMPORAL_RETENTION_DAYS'] ?? 7);

try {
  await prepareTemporalNamespace({ address, namespace, retentionDays });
  console.log(
    `Namespace ${namespace} of Temporal at ${address} is ready; closed workflows are kept for ${retentionDays} days.`,
  );
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
