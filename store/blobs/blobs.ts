import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { workspaceScope } from '#domain/access/scope.ts';
import type {
  BlobLocation,
  Blobs,
  BlobStore,
  ByteRange,
  NewBlob,
  RemovedBytes,
  SpooledBlob,
} from '#domain/blob-store.ts';
import { blobMissing } from './blob-name.ts';
import type { BlobRemoval, BlobRemovals } from './blob-removals.ts';
import type { BlobRowStore } from './blob-rows.ts';
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
 * The blobs of workspaces, over their rows and a store of bytes. A process may end at any instruction: what it spooled is swept
 * on its machine, a row without bytes is swept like any unused blob, and a removal that was begun is in `blob_removals`.
 */
export function createBlobs({ rows, removals, store, spool, readingFolder }: BlobsOptions): Blobs {
  const locate = async (workspaceId: string, sha256: string): Promise<BlobLocation> =>
    (await findBlob(rows, workspaceId, sha256)).location;
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
    checkOut: async (workspaceId, sha256) => store.checkOut(await locate(workspaceId, sha256)),
    downloadUrl: async (workspaceId, sha256, headers) =>
      store.downloadUrl === null ? null : store.downloadUrl(await locate(workspaceId, sha256), headers),
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

async function findBlob(rows: BlobRowStore, workspaceId: string, sha256: string) {
  const row = await rows.find(workspaceScope({ workspace_id: workspaceId }), sha256);
  if (row === null) throw blobMissing();
  return { location: { workspaceId, sha256, place: row.place }, sizeBytes: row.size_bytes };
}

type AskedBlob = { workspaceId: string; sha256: string; range: ByteRange | undefined };

async function openBlob(
  { rows, store }: Pick<BlobsOptions, 'rows' | 'store'>,
  { workspaceId, sha256, range }: AskedBlob,
): Promise<Readable> {
  const { location, sizeBytes } = await findBlob(rows, workspaceId, sha256);
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
    [...files.values()].map(({ sha256, sizeBytes }) => ({ sha256, sizeBytes, place: randomUUID() })),
  );
  await inParallel(claimed, async ({ sha256, place, is_new: isNew }) => {
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
