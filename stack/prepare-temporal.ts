/** `node stack/prepare-temporal.ts`: makes the namespace of a Temporal server fit for Loci. Doing it again changes nothing. */
import { prepareNamespace } from './search-attributes.ts';
import { reasonOf } from './stack-error.ts';

const address = process.env['LOCI_TEMPORAL_ADDRESS'] ?? '127.0.0.1:8733';
const namespace = process.env['LOCI_TEMPORAL_NAMESPACE'] ?? 'default';
const retentionDays = Number(process.env['LOCI_TEMPORAL_RETENTION_DAYS'] ?? 7);

try {
  await prepareNamespace({ address, namespace, retentionDays });
  console.log(`Namespace ${namespace} of Temporal at ${address} is ready; closed runs are kept ${retentionDays} days.`);
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
