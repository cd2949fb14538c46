import type { Readable } from 'node:stream';

export type StoredBlob = { sha256: string; sizeBytes: number };

/** Immutable bytes addressed by workspace and SHA-256 (hex). Writing the same bytes twice is writing once. */
export interface BlobStore {
  /**
   * Streams bytes in; on return they are on stable storage.
   * @throws AppError `file_too_large` past `maxBytes`; nothing is left behind then.
   */
  put(workspaceId: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob>;
  /** @throws AppError `blob_missing`. */
  open(workspaceId: string, sha256: string): Promise<Readable>;
  /** A local file with the bytes, for a child process to read; `release` when done. @throws AppError `blob_missing`. */
  checkOut(workspaceId: string, sha256: string): Promise<{ path: string; release: () => Promise<void> }>;
  exists(workspaceId: string, sha256: string): Promise<boolean>;
  /** Deletes; an absent blob is no error. */
  delete(workspaceId: string, sha256: string): Promise<void>;
  /** Every blob last written before a time, in no order. */
  walk(writtenBefore: Date): AsyncIterable<{ workspaceId: string; sha256: string }>;
  /** Removes half-written files older than `olderThanMs`. Returns how many. */
  sweepTemporary(olderThanMs: number): Promise<number>;
}
