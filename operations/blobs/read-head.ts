import type { BlobStore } from '#domain/blob-store.ts';

/** Bytes of the beginning of a file that tell its type. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Reads the beginning of a stored file. @throws AppError `blob_missing`. */
export async function readHead(blobs: BlobStore, workspaceId: string, sha256: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of (await blobs.open(workspaceId, sha256)) as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    sizeBytes += piece.byteLength;
    if (sizeBytes >= MAX_HEAD_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, MAX_HEAD_BYTES);
}
