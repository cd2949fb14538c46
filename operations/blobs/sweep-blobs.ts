import type { BlobKey } from '#store/blobs/blob-sweep.ts';
import type { Services } from '#operations/services.ts';

const UNUSED_MS = 24 * 60 * 60 * 1000;
const PAGE = 2_000;
const AT_ONCE = 200;

/**
 * Deletes blobs that nothing has referred to for a day, and half-written files of killed uploads. Returns how many blobs went.
 */
export async function sweepBlobs(services: Services, unusedMs = UNUSED_MS): Promise<number> {
  const { system } = services.stores;
  let count = await sweepUnused(services, unusedMs);
  count += await sweepRowless(services, unusedMs);
  await services.blobs.sweepTemporary(unusedMs);
  await system.purgeIdempotencyKeys();
  return count;
}

/** Looks at all blobs page by page: one statement over millions of them would outlast its time. */
async function sweepUnused(services: Services, unusedMs: number): Promise<number> {
  const { system } = services.stores;
  let count = 0;
  for (let after: BlobKey | null = null; ;) {
    const page = await system.walkBlobs(unusedMs, { after, limit: PAGE });
    for (const { is_unused: isUnused, ...blob } of page) {
      const remove = () => services.blobs.delete(blob.workspace_id, blob.sha256);
      if (isUnused && (await system.deleteBlob(blob, unusedMs, remove))) count += 1;
    }
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return count;
  }
}

/** Bytes whose request was refused or cut off before it came to a row. */
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
    if (page.length === AT_ONCE) await flush();
  }
  await flush();
  return count;
}
