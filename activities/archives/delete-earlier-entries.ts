import { collectionScope } from '#domain/access/scope.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { deleteMissingEntries } from '#operations/archives/delete-missing-entries.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Deletes the entries of contents that contained some in an earlier version and contain none now. */
export async function deleteEarlierEntries(
  services: WorkerServices,
  batch: Batch,
  contents: readonly OwnedContent[],
): Promise<void> {
  const ids = contents.filter(({ version }) => version > 1).map(({ content_id }) => content_id);
  const withMissing = await services.stores.entries.findWithMissing(collectionScope(batch), batch.collection_id, ids);
  for (const id of withMissing) await deleteMissingEntries(services, batch, id);
}
