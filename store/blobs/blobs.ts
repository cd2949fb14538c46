import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { workspaceScope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import type {
  BlobLocation,
  Blobs,
  BlobStore,
  ByteRange,
  LocalFile,
  NewBlob,
  RemovedBytes,
  SpooledBlob,
} from '#domain/blob-store.ts';
import { blobMissing } from './blob-name.ts';
import type { BlobRemoval, BlobRemovals } from './blob-removals.ts';
import type { BlobRow, BlobRowStore } from './blob-rows.ts';
import { sweepFolder } from './files.ts';
import { inParallel } from './in-parallel.ts';
import type { Spool } from './spool.ts';

/** `readingFolder`: where other parts of this machine leave files as well, when they are killed. */
export type BlobsOptions = {
  rows: BlobRowStore;
  removals: BlobRemovals;
  store: BlobStore;
  spool: Spool;
  readingFolder: string;
};

/**
 * The blobs of workspaces, over their rows and a store of bytes. What the spool keeps in memory is stored in the row. A process
 * may end at any instruction: what it spooled is swept on its machine, a row without bytes is swept like any unused blob, and a
 * removal that was begun is in `blob_removals`.
 */
export function createBlobs({ rows, removals, store, spool, readingFolder }: BlobsOptions): Blobs {
  const found = async (workspaceId: string, sha256: string) => findBlob(rows, workspaceId, sha256);
  const blobs: Blobs = {
    spool: (bytes, maxBytes) => spool.write(bytes, maxBytes),
    store: (workspaceId, spooled) => storeAll({ rows, store }, workspaceId, spooled),
    async put(workspaceId, bytes, maxBytes) {
      await using spooled = await spool.write(bytes, maxBytes);
      await blobs.store(workspaceId, [spooled]);
      return { sha256: spooled.sha256, sizeBytes: spooled.sizeBytes };
    },
    async discard(workspaceId, discarded) {
      if (discarded.length === 0) return;
      await rows.discard(workspaceScope({ workspace_id: workspaceId }), discarded);
      const { errors } = await blobs.deleteRemoved(workspaceId, discarded.length);
      if (errors.length > 0) throw errors[0];
    },
    open: (workspaceId, sha256, range) => openBlob({ rows, store }, { workspaceId, sha256, range }),
    checkOut: async (workspaceId, sha256) => checkOut(store, await found(workspaceId, sha256)),
    checkOutAll: (workspaceId, hashes) => checkOutAll({ rows, store }, workspaceId, hashes),
    async downloadUrl(workspaceId, sha256, headers) {
      if (store.downloadUrl === null) return null;
      const { location, bytes } = await found(workspaceId, sha256);
      return bytes === null ? store.downloadUrl(location, headers) : null;
    },
    deleteRemoved: async (workspaceId, limit) =>
      deleteAll({ removals, store }, await removals.dueBlobRemovals(workspaceId, limit)),
    ping: () => store.ping(),
    async sweepTemporary(olderThanMs) {
      const ofSpool = await spool.sweep(olderThanMs);
      return ofSpool + (await sweepFolder(readingFolder, olderThanMs)) + (await store.sweepTemporary(olderThanMs));
    },
  };
  return blobs;
}

type FoundBlob = { location: BlobLocation; sizeBytes: number; bytes: Uint8Array | null };

async function findBlob(rows: BlobRowStore, workspaceId: string, sha256: string): Promise<FoundBlob> {
  const [row] = await rows.find(workspaceScope({ workspace_id: workspaceId }), [sha256]);
  if (row === undefined) throw blobMissing();
  return foundBlob(workspaceId, row);
}

function foundBlob(workspaceId: string, { sha256, place, size_bytes: sizeBytes, bytes }: BlobRow): FoundBlob {
  return { location: { workspaceId, sha256, place }, sizeBytes, bytes };
}

async function checkOut(store: BlobStore, { location, bytes }: FoundBlob): Promise<LocalFile> {
  return bytes === null ? store.checkOut(location) : { path: '', bytes, release: async () => {} };
}

/** Keeps the errors of single blobs. After any other error, nothing stays checked out. */
async function checkOutAll(
  { rows, store }: Pick<BlobsOptions, 'rows' | 'store'>,
  workspaceId: string,
  hashes: readonly string[],
): Promise<(LocalFile | AppError)[]> {
  if (hashes.length === 0) return [];
  const found = await rows.find(workspaceScope({ workspace_id: workspaceId }), hashes);
  const byHash = new Map(found.map((row) => [row.sha256, foundBlob(workspaceId, row)]));
  const files: LocalFile[] = [];
  try {
    return await inParallel(hashes, async (sha256) => {
      const blob = byHash.get(sha256);
      if (blob === undefined) return blobMissing();
      try {
        const file = await checkOut(store, blob);
        files.push(file);
        return file;
      } catch (error) {
        if (error instanceof AppError) return error;
        throw error;
      }
    });
  } catch (error) {
    await Promise.all(files.map((file) => file.release()));
    throw error;
  }
}

type AskedBlob = { workspaceId: string; sha256: string; range: ByteRange | undefined };

async function openBlob(
  { rows, store }: Pick<BlobsOptions, 'rows' | 'store'>,
  { workspaceId, sha256, range }: AskedBlob,
): Promise<Readable> {
  const { location, sizeBytes, bytes } = await findBlob(rows, workspaceId, sha256);
  // An array, because a stream of a Buffer yields its bytes one by one.
  if (bytes !== null) return Readable.from([bytes.subarray(range?.start ?? 0, range?.end)]);
  if (range === undefined) return store.open(location);
  const end = Math.min(range.end, sizeBytes);
  // A bucket refuses a range without bytes.
  return range.start < end ? store.open(location, { start: range.start, end }) : Readable.from([]);
}

async function storeAll(
  { rows, store }: Pick<BlobsOptions, 'rows' | 'store'>,
  workspaceId: string,
  spooled: readonly SpooledBlob[],
): Promise<NewBlob[]> {
  if (spooled.length === 0) return [];
  const files = new Map(spooled.map((blob) => [blob.sha256, blob]));
  const claimed = await rows.claim(
    workspaceScope({ workspace_id: workspaceId }),
    [...files.values()].map(({ sha256, sizeBytes, bytes }) => ({ sha256, sizeBytes, bytes, place: randomUUID() })),
  );
  const inFiles = claimed.filter((row) => !row.has_bytes);
  await inParallel(inFiles, async ({ sha256, place, is_new: isNew }) => {
    const file = files.get(sha256);
    if (file) await store.put({ workspaceId, sha256, place }, file, { mayExist: !isNew });
  });
  return claimed.filter((row) => row.is_new).map(({ sha256, used_at }) => ({ sha256, used_at }));
}

async function deleteAll(
  { removals, store }: Pick<BlobsOptions, 'removals' | 'store'>,
  due: readonly BlobRemoval[],
): Promise<RemovedBytes> {
  const deleted: BlobRemoval[] = [];
  const kept: number[] = [];
  const errors: unknown[] = [];
  await inParallel(due, async (removal) => {
    const { workspace_id: workspaceId, sha256, place } = removal;
    try {
      await store.delete({ workspaceId, sha256, place });
      deleted.push(removal);
    } catch (error) {
      kept.push(removal.id);
      errors.push(error);
    }
  });
  if (deleted.length > 0) await removals.endBlobRemovals(deleted);
  if (kept.length > 0) await removals.postponeBlobRemovals(kept);
  return { count: due.length, errors };
}
