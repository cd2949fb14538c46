import type { Config } from '#config/index.ts';
import type { BlobStore } from '#domain/blob-store.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import { workFolders } from './work-folders.ts';

/** Opens the store of bytes: by default the configured one. The AWS SDK is loaded only for a bucket. Nothing connects yet. */
export async function openBlobStore(
  { blobs }: Pick<Config, 'blobs'>,
  which: Config['blobs']['store'] = blobs.store,
): Promise<BlobStore> {
  if (which === 'folder') return createLocalBlobStore({ dir: blobs.dir });
  if (blobs.s3 === null) throw new Error('LOCI_S3_BUCKET is not set');
  const { createS3BlobStore } = await import('#store/blobs/s3-blob-store.ts');
  return createS3BlobStore({ ...blobs.s3, workFolder: workFolders(blobs).spool });
}
