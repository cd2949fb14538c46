import type { BlobKey } from '#store/blobs/blob-sweep.ts';
import type { Services } from '#operations/services.ts';

const MIN_UNUSED_MS = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 2_000;
const FILE_BATCH_SIZE = 200;

/**
 * Deletes blobs that nothing has referred to for a day, and temporary files of aborted uploads. Returns the number of deleted
 * blobs.
 */
export async function sweepBlobs(services: Services, unusedMs = MIN_UNUSED_MS): Promise<number> {
  const { system } = services.stores;
  let count = await sweepUnused(services, unusedMs);
  count += await sweepRowless(services, unusedMs);
  await services.blobs.sweepTemporary(unusedMs);
  await system.purgeIdempotencyKeys();
  return count;
}

/** Walks all blobs page by page: one statement over millions of rows would exceed its timeout. */
async function sweepUnused(services: Services, unusedMs: number): Promise<number> {
  const { system } = services.stores;
  let count = 0;
  for (let after: BlobKey | null = null; ;) {
    const page = await system.walkBlobs(unusedMs, { after, limit: PAGE_SIZE });
    for (const { is_unused: isUnused, ...blob } of page) {
      const remove = () => services.blobs.delete(blob.workspace_id, blob.sha256);
      if (isUnused && (await system.deleteBlob(blob, unusedMs, remove))) count += 1;
    }
    after = page.at(-1) ?? null;
    if (page.length < PAGE_SIZE) return count;
  }
}

/** Deletes files without a row: their request was rejected or aborted before the row was written. */
async function sweepRowless(services: Services, unusedMs: number): Promise<number> {
  const before = new Date(services.clock.now().getTime() - unusedMs);
  let count = 0;
  let page: { workspaceId: string; sha256: string }[] = [];
  const flush = async () => {
    const rowless = await services.stores.system.blobsWithoutRow(page);
    page = [];
    for (const { workspace_id: workspaceId, sha256 } of rowless) {
      const scope = { workspaceId, collectionIds: null };
      const remove = () => services.blobs.delete(workspaceId, sha256);
      if (await services.stores.blobRows.deleteRowless(scope, sha256, remove)) count += 1;
    }
  };
  for await (const blob of services.blobs.walk(before)) {
    page.push(blob);
    if (page.length === FILE_BATCH_SIZE) await flush();
  }
  await flush();
  return count;
}
