import pLimit from 'p-limit';
import { AppError } from '#domain/app-error.ts';
import type { BlobLocation, BlobStore, SpooledBlob } from '#domain/blob-store.ts';
import type { BlobCopies, BlobCopy } from './blob-copies.ts';
import type { Spool } from './spool.ts';

const PAGE_SIZE = 500;
const CONCURRENCY = 8;

export type BlobMove = {
  copies: BlobCopies;
  from: BlobStore;
  to: BlobStore;
  /** The name of the store that is copied to. */
  name: string;
  spool: Spool;
  onProgress: (result: MoveResult) => void;
};

/**
 * `missing`: blobs whose bytes are not in the old store, as `<workspace>/<sha256>`; `removed`: copies of blobs that were removed
 * since.
 */
export type MoveResult = { copied: number; removed: number; missing: string[] };

/**
 * Copies all blobs to another store, with their hashes checked, and deletes copies of blobs that were removed meanwhile. It can
 * run beside the service, be interrupted and be repeated: what is complete is not copied again. Nothing is deleted from the old
 * store.
 * @throws AppError `dependency_unavailable`.
 */
export async function moveBlobs(move: BlobMove): Promise<MoveResult> {
  const { copies, name } = move;
  const result: MoveResult = { copied: 0, removed: 0, missing: [] };
  await copies.forgetOtherBlobCopies(name);
  while ((await copies.listBlobCopies(name, PAGE_SIZE)) === PAGE_SIZE);
  await eachPage(
    (after) => copies.pendingBlobCopies(name, { after, limit: PAGE_SIZE }),
    async (page) => {
      const complete = await inParallel(page, (one) => copyBlob(move, one));
      await copies.completeBlobCopies(complete.map(({ id }) => id));
      result.copied += complete.length;
      const missing = page.filter((one) => !complete.includes(one));
      result.missing.push(...missing.map(({ workspace_id, sha256 }) => `${workspace_id}/${sha256}`));
      move.onProgress(result);
    },
  );
  await eachPage(
    (after) => copies.abandonedBlobCopies(name, { after, limit: PAGE_SIZE }),
    async (page) => {
      await inParallel(page, async (one) => {
        await move.to.delete(locationOf(one));
        return true;
      });
      await copies.forgetBlobCopies(page.map(({ id }) => id));
      const gone = new Set(page.map(({ workspace_id, sha256 }) => `${workspace_id}/${sha256}`));
      result.missing = result.missing.filter((blob) => !gone.has(blob));
      result.removed += page.length;
    },
  );
  return result;
}

async function eachPage(
  read: (after: number) => Promise<BlobCopy[]>,
  work: (page: BlobCopy[]) => Promise<void>,
): Promise<void> {
  for (let after = 0; ;) {
    const page = await read(after);
    if (page.length > 0) await work(page);
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Returns those for which `work` returned true. Waits for all, also after a failure. */
async function inParallel(page: readonly BlobCopy[], work: (one: BlobCopy) => Promise<boolean>): Promise<BlobCopy[]> {
  const limit = pLimit(CONCURRENCY);
  const outcomes = await Promise.allSettled(page.map((one) => limit(() => work(one))));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return page.filter((_one, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'fulfilled' && outcome.value;
  });
}

/** Returns false when the bytes are missing, or damaged, in the old store. */
async function copyBlob({ from, to, spool }: BlobMove, copy: BlobCopy): Promise<boolean> {
  const location = locationOf(copy);
  try {
    await using file: SpooledBlob = await spool.write(await from.open(location), Number.MAX_SAFE_INTEGER);
    if (file.sha256 !== copy.sha256) return false;
    await to.put(location, file, { mayExist: true });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'blob_missing') return false;
    throw error;
  }
}

function locationOf({ workspace_id: workspaceId, sha256, place }: BlobCopy): BlobLocation {
  return { workspaceId, sha256, place };
}
