import { createHash } from 'node:crypto';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import type { ReprojectCursor, ReprojectSlice } from '#domain/uploads/ingest-steps.ts';
import type { Facettable } from '#store/uploads/publications.ts';
import { startTimeSlice, type TimeSlice } from '#activities/time-slice.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Written in one transaction, which ends after 30 s: also when Weaviate takes seconds for each of them. */
const PAGE_SIZE = 64;

type Reprojection = { work: Omit<ReprojectSlice, 'after'>; timeSlice: TimeSlice };

/**
 * Writes the current filter fields of published contents to the index for one time slice. Returns the cursor, null at the
 * end.
 */
export async function reprojectContents(
  services: WorkerServices,
  { after, ...work }: ReprojectSlice,
): Promise<ReprojectCursor | null> {
  const found = await services.stores.collections.findIndex(collectionScope(work), work.collection_id);
  if (!found) return null;
  const reprojection = { work, timeSlice: startTimeSlice() };
  for (const contentId of work.content_ids.toSorted()) {
    if (after && contentId < after.content_id) continue;
    const cursor = await reprojectContent(services, reprojection, { contentId, after });
    if (cursor) return cursor;
  }
  return null;
}

/**
 * Writes the filter fields of one content until they equal its row at the end. The content may change at any time, and a
 * publication may write them too; each writer checks the row after writing, so that no outdated value remains.
 */
async function reprojectContent(
  services: WorkerServices,
  reprojection: Reprojection,
  { contentId, after }: { contentId: string; after: ReprojectCursor | null },
): Promise<ReprojectCursor | null> {
  const { work } = reprojection;
  const scope = collectionScope(work);
  let begun = after?.content_id === contentId ? after : null;
  for (;;) {
    const [content] = await services.stores.publications.facettable(scope, work.collection_id, [contentId]);
    if (!content) return null;
    const shared = sharedFacets(content);
    const stamp = createHash('sha256').update(shared.join('\n')).digest('base64url');
    // Earlier time slices may have written values from before the latest change; then start again.
    const afterIndex = begun && (begun.stamp ?? stamp) === stamp ? begun.chunk_index : -1;
    begun = null;
    const stoppedAt = await writeFacets(services, reprojection, { contentId, shared, afterIndex });
    if (stoppedAt !== null) return { content_id: contentId, chunk_index: stoppedAt, stamp };
    if (await services.stores.projections.markSynced(scope, work.collection_id, content)) return null;
  }
}

/**
 * Writes to every index of the collection. They are read under the lock: an index that is not there yet gets its objects under the
 * same lock later, with the present values. Returns the index of the last chunk when the time slice ends, null at the end.
 */
async function writeFacets(
  services: WorkerServices,
  { work, timeSlice }: Reprojection,
  content: { contentId: string; shared: readonly string[]; afterIndex: number },
): Promise<number | null> {
  const { contentId, shared } = content;
  const key = { contentId, collectionId: work.collection_id };
  for (let { afterIndex } = content; ;) {
    const page = { afterIndex, limit: PAGE_SIZE };
    const lastIndex = await services.stores.transaction(async (stores) => {
      await stores.projections.lockContent(collectionScope(work), key);
      const { rows } = await stores.chunks.listContentChunks(collectionScope(work), key, page);
      const updates = rows.map((row) => ({ id: row.id, facets: [...shared, ...chunkFacets(row.metadata)] }));
      const generations = await stores.generations.list(collectionScope(work), work.collection_id);
      for (const { space, tenant } of generations) await services.vectors.updateFacets(space, tenant, updates);
      return rows.at(-1)?.chunk_index;
    });
    if (lastIndex === undefined) return null;
    afterIndex = lastIndex;
    if (timeSlice.isOver()) return afterIndex;
  }
}

function sharedFacets(content: Facettable): string[] {
  const record = toFilterRecord(content, {});
  return contentFacets(record.content, record.metadata);
}
