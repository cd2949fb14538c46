/** `node stack/prepare-temporal.ts`: prepares the namespace of a Temporal server for Loci. Idempotent. */
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { prepareTemporalNamespace } from '#stack/servers/temporal-namespace.ts';
import { reasonOf } from './stack-error.ts';

const retentionDays = Number(process.env['LOCI_TEMPORAL_RETENTION_DAYS'] ?? 7);

try {
  const temporal = readTemporalSettings(process.env);
  await prepareTemporalNamespace({ temporal, retentionDays });
  const state = temporal.isManaged
    ? 'is reachable; as it is managed by others, nothing was changed'
    : `is ready; closed workflows are kept for ${retentionDays} days`;
  console.log(`Namespace ${temporal.namespace} of Temporal at ${temporal.address} ${state}.`);
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
