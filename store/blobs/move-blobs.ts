import { AppError } from '#domain/app-error.ts';
import type { BlobLocation, BlobStore, SpooledBlob } from '#domain/blob-store.ts';
import type { BlobCopies, BlobCopy } from './blob-copies.ts';
import { inParallel } from './in-parallel.ts';
import type { Spool } from './spool.ts';

const PAGE_SIZE = 500;
/** Copies of earlier runs that are looked for. */
const SAMPLE_SIZE = 200;

export type BlobMove = {
  copies: BlobCopies;
  from: BlobStore;
  to: BlobStore;
  spool: Spool;
  onProgress: (result: MoveResult) => void;
};

/**
 * `copied`: by this run; `complete`: all that the new store has now; `removed`: copies of blobs that were removed since;
 * `missing`: blobs whose bytes are not in the old store, as `<workspace>/<sha256>`.
 */
export type MoveResult = { copied: number; complete: number; removed: number; missing: string[] };

/**
 * Copies all blobs to another store, with their hashes checked, and deletes copies of blobs that were removed meanwhile. It can
 * run beside the service, be interrupted and be repeated: what is complete is not copied again, unless a sample shows that the
 * store has lost copies. Another store is begun anew. Nothing is deleted from the old store.
 * @throws AppError `dependency_unavailable`.
 */
export async function moveBlobs(move: BlobMove): Promise<MoveResult> {
  const { copies } = move;
  const { name } = move.to;
  const result: MoveResult = { copied: 0, complete: 0, removed: 0, missing: [] };
  await copies.forgetOtherBlobCopies(name);
  if (await hasLostCopies(move)) await copies.repeatBlobCopies(name);
  while ((await copies.listBlobCopies(name, PAGE_SIZE)) === PAGE_SIZE);
  await eachPage(
    (after) => copies.pendingBlobCopies(name, { after, limit: PAGE_SIZE }),
    async (page) => {
      const isCopied = await inParallel(page, (one) => copyBlob(move, one));
      const complete = page.filter((_one, index) => isCopied[index]);
      await copies.completeBlobCopies(complete.map(({ id }) => id));
      result.copied += complete.length;
      const missing = page.filter((_one, index) => !isCopied[index]);
      result.missing.push(...missing.map(({ workspace_id, sha256 }) => `${workspace_id}/${sha256}`));
      move.onProgress(result);
    },
  );
  await eachPage(
    (after) => copies.abandonedBlobCopies(name, { after, limit: PAGE_SIZE }),
    async (page) => {
      await inParallel(page, (one) => move.to.delete(locationOf(one)));
      await copies.forgetBlobCopies(page.map(({ id }) => id));
      const gone = new Set(page.map(({ workspace_id, sha256 }) => `${workspace_id}/${sha256}`));
      result.missing = result.missing.filter((blob) => !gone.has(blob));
      result.removed += page.length;
    },
  );
  result.complete = await copies.countBlobCopies(name);
  return result;
}

/** A bucket may have been made anew under its name, or another disk may be where the folder was. */
async function hasLostCopies({ copies, to }: BlobMove): Promise<boolean> {
  const sample = await copies.sampleBlobCopies(to.name, SAMPLE_SIZE);
  return (await inParallel(sample, (one) => to.exists(locationOf(one)))).includes(false);
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
