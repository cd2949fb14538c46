import type { BlobKey } from '#store/blobs/blob-sweep.ts';
import type { Services } from '#operations/services.ts';

const MIN_UNUSED_MS = 24 * 60 * 60 * 1000;
const PAGE_SIZE = 2_000;
const REMOVAL_BATCH_SIZE = 200;

/**
 * Removes blobs that nothing has referred to for a day, counted from the first sweep that found them unused: a database that is
 * restored from a dump of the last day has all its bytes. One process sweeps at a time. Returns the number of removed blobs.
 */
export async function sweepBlobs(services: Services, unusedMs = MIN_UNUSED_MS): Promise<number> {
  const { system } = services.stores;
  const removed = await system.sweepAlone(async (isMine) => {
    const count = await sweepRows(services, { unusedMs, isMine });
    await deleteBytes(services, isMine);
    return count;
  });
  return removed ?? 0;
}

/** Bytes that cannot be deleted are reported when all others are: only a store that is away ends it earlier. */
async function deleteBytes({ blobs }: Services, isMine: () => boolean): Promise<void> {
  let failed = 0;
  let cause: unknown;
  for (let found = REMOVAL_BATCH_SIZE; isMine() && found === REMOVAL_BATCH_SIZE;) {
    const { count, errors } = await blobs.deleteRemoved(null, REMOVAL_BATCH_SIZE);
    found = count;
    failed += errors.length;
    cause ??= errors[0];
    if (count > 0 && errors.length === count) await blobs.ping();
  }
  if (failed === 0) return;
  const reason = cause instanceof Error ? cause.message : '';
  throw new Error(`${failed} unused files could not be deleted; they are tried again later: ${reason}`, { cause });
}

type Sweep = { unusedMs: number; isMine: () => boolean };

/** Walks all rows page by page: one statement over millions of them would exceed its timeout. */
async function sweepRows(services: Services, { unusedMs, isMine }: Sweep): Promise<number> {
  const { system } = services.stores;
  let count = 0;
  for (let after: BlobKey | null = null; isMine();) {
    const page = await system.reviewBlobs(unusedMs, { after, limit: PAGE_SIZE });
    const changing = page.filter((blob) => (blob.is_unused ? !blob.is_marked || blob.is_due : blob.is_marked));
    if (changing.length > 0) count += await system.sweepReviewed(unusedMs, changing);
    after = page.at(-1) ?? null;
    if (page.length < PAGE_SIZE) break;
  }
  return count;
}
