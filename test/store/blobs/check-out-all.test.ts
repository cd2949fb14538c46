import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { BlobLocation, BlobStore, LocalFile } from '#domain/blob-store.ts';
import type { BlobRemovals } from '#store/blobs/blob-removals.ts';
import type { BlobRowStore } from '#store/blobs/blob-rows.ts';
import { createBlobs } from '#store/blobs/blobs.ts';
import { createSpool } from '#store/blobs/spool.ts';

test('blobs that are checked out together with one that cannot be read are released again', async (t) => {
  const held = new Set<string>();
  const checkOut = async ({ sha256 }: BlobLocation): Promise<LocalFile> => {
    if (sha256 === 'unreadable') throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    if (sha256 === 'gone') throw new AppError('blob_missing', 'It is gone.');
    held.add(sha256);
    return { path: sha256, release: async () => void held.delete(sha256) };
  };
  const find: BlobRowStore['find'] = async (_scope, hashes) =>
    hashes.map((sha256) => ({ sha256, place: null, size_bytes: 1, bytes: null }));
  const blobs = createBlobs({
    // Nothing else of them is called.
    rows: { find } as BlobRowStore,
    removals: {} as BlobRemovals,
    store: { checkOut } as BlobStore,
    spool: createSpool('/nowhere'),
    readingFolder: '/nowhere',
  });
  await t.throwsAsync(blobs.checkOutAll('w', ['a', 'unreadable', 'b', 'gone']), { code: 'EMFILE' });
  t.deepEqual([...held], []);
  const [file, missing] = await blobs.checkOutAll('w', ['a', 'gone']);
  t.true(missing instanceof AppError);
  t.deepEqual([...held], ['a']);
  t.false(file instanceof AppError);
});
