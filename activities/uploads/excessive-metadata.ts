import { collectionScope } from '#domain/access/scope.ts';
import { MAX_METADATA_TERMS, metadataProblem, metadataTermLimit } from '#domain/filters/facets.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { ContentFailure } from './fail-contents.ts';
import type { Document } from './write-documents.ts';

/** Returns the failures of those documents whose metadata is too large for the number of their chunks, which all store it. */
export async function excessiveMetadata(
  services: WorkerServices,
  batch: Batch,
  documents: readonly Document[],
): Promise<ContentFailure[]> {
  // Documents of usual size may have whatever metadata a request may have.
  const large = new Map(
    documents
      .filter(({ result }) => metadataTermLimit(result.chunkCount) < MAX_METADATA_TERMS)
      .map(({ content, result }) => [content.content_id, result.chunkCount]),
  );
  if (large.size === 0) return [];
  const { publications } = services.stores;
  const ids = [...large.keys()];
  const contents = await publications.facettable(collectionScope(batch), batch.collection_id, ids);
  return contents.flatMap((content) => {
    const { metadata } = toFilterRecord(content, {});
    const message = metadataProblem(metadata, large.get(content.content_id) ?? 0);
    return message === null ? [] : [{ content_id: content.content_id, code: 'metadata_too_large' as const, message }];
  });
}
