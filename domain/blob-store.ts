import type { Readable } from 'node:stream';

export type StoredBlob = { sha256: string; sizeBytes: number };

/** Immutable bytes, addressed by workspace and SHA-256 (hex). Storing the same bytes twice stores them once. */
export interface BlobStore {
  /**
   * Stores a stream; when it returns, the bytes are on stable storage.
   * @throws AppError `file_too_large` beyond `maxBytes`; then nothing is stored.
   */
  put(workspaceId: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob>;
  /** @throws AppError `blob_missing`. */
  open(workspaceId: string, sha256: string): Promise<Readable>;
  /** Returns a local file with the bytes for a child process; call `release` afterwards. @throws AppError `blob_missing`. */
  checkOut(workspaceId: string, sha256: string): Promise<{ path: string; release: () => Promise<void> }>;
  exists(workspaceId: string, sha256: string): Promise<boolean>;
  /** Deletes a blob; one that does not exist is not an error. */
  delete(workspaceId: string, sha256: string): Promise<void>;
  /** Lists every blob that was last written before a time, in no particular order. */
  walk(writtenBefore: Date): AsyncIterable<{ workspaceId: string; sha256: string }>;
  /** Deletes partially written files that are older than `olderThanMs`. Returns how many. */
  sweepTemporary(olderThanMs: number): Promise<number>;
}
