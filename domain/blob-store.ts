import type { Readable } from 'node:stream';
import type { AppError } from './app-error.ts';

export type StoredBlob = { sha256: string; sizeBytes: number };

/**
 * Where the bytes of one row are. Each row has a place of its own, so that removing the bytes of a row never touches those of a
 * later row with the same hash; null for rows from before places.
 */
export type BlobLocation = { workspaceId: string; sha256: string; place: string | null };

/** Bytes of a blob from `start` up to, and without, `end`. */
export type ByteRange = { start: number; end: number };

/**
 * A file of this machine. `bytes`: its content, where it is in memory; then there is no file, and `path` is empty. Call `release`
 * when it is no longer needed.
 */
export type LocalFile = { path: string; bytes?: Uint8Array | undefined; release: () => Promise<void> };

/**
 * Hashed bytes that are not stored yet. Disposing of it removes its file. `bytes`: those of a small blob, which is in memory; null
 * for one that is in a file.
 */
export type SpooledBlob = StoredBlob &
  AsyncDisposable & {
    readonly bytes: Uint8Array | null;
    /** Returns the path of a file with the bytes; those in memory are written to one. @throws AppError `dependency_unavailable`. */
    path(): Promise<string>;
  };

/** How a browser is to treat a download. */
export type DownloadHeaders = { mediaType: string; disposition: string };

/** Keeps immutable bytes: a folder or a bucket. It is never listed: the rows of the database say what it has. */
export interface BlobStore {
  /** Names the folder or the bucket, so that two stores with the same name are the same. */
  readonly name: string;
  /**
   * Stores the bytes of a file, which may be gone afterwards; when it returns, they are on stable storage. `mayExist`: they may be
   * there already, and may also be damaged or missing.
   * @throws AppError `dependency_unavailable`.
   */
  put(location: BlobLocation, file: SpooledBlob, options: { mayExist: boolean }): Promise<void>;
  /**
   * `range`: reads only these bytes, at least one of which exists.
   * @throws AppError `blob_missing`, `dependency_unavailable`; the stream fails if it does not have all bytes.
   */
  open(location: BlobLocation, range?: ByteRange): Promise<Readable>;
  /** Returns a local file with the bytes for a child process. @throws AppError `blob_missing`, `dependency_unavailable`. */
  checkOut(location: BlobLocation): Promise<LocalFile>;
  exists(location: BlobLocation): Promise<boolean>;
  /** Deletes bytes; that they do not exist is not an error. */
  delete(location: BlobLocation): Promise<void>;
  /** Returns a URL from which anyone can download the bytes for a few minutes. Null if the store offers none. */
  downloadUrl: ((location: BlobLocation, headers: DownloadHeaders) => Promise<string>) | null;
  /** @throws AppError `dependency_unavailable` with what is wrong. */
  ping(): Promise<void>;
  /** Deletes files of this machine that killed processes left half-written. Returns how many. */
  sweepTemporary(olderThanMs: number): Promise<number>;
  close(): void;
}

/**
 * The bytes of workspaces, addressed by workspace and SHA-256 (hex). The same bytes are stored once per workspace. Small blobs are
 * in their rows. Bytes of others are written after their row and deleted after it, so that nothing is ever stored without a trace
 * in the database.
 */
export interface Blobs {
  /**
   * Reads a stream into a file of this machine, or into memory if it is small, and hashes it. Nothing is stored yet.
   * @throws AppError `file_too_large` beyond `maxBytes`, `dependency_unavailable` when the disk is full.
   */
  spool(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledBlob>;
  /**
   * Stores spooled blobs: first their rows, then the bytes that are in files. From then on, they are kept for at least a day, and as long as
   * something refers to them. Returns the rows that are new, for `discard`.
   */
  store(workspaceId: string, blobs: readonly SpooledBlob[]): Promise<NewBlob[]>;
  /** Spools and stores a stream. */
  put(workspaceId: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob>;
  /** Removes those of the new blobs that nothing refers to and nobody else has stored in the meantime. */
  discard(workspaceId: string, blobs: readonly NewBlob[]): Promise<void>;
  /** `range`: reads only those of these bytes that exist. @throws AppError `blob_missing`. */
  open(workspaceId: string, sha256: string, range?: ByteRange): Promise<Readable>;
  /** Returns a local file with the bytes. @throws AppError `blob_missing`. */
  checkOut(workspaceId: string, sha256: string): Promise<LocalFile>;
  /** Returns a local file for each hash, or why there is none; reads all rows at once. */
  checkOutAll(workspaceId: string, hashes: readonly string[]): Promise<(LocalFile | AppError)[]>;
  /**
   * Returns a URL from which anyone can download the bytes for a few minutes; null where they are in their row, or the store has
   * no URLs. @throws AppError `blob_missing`.
   */
  downloadUrl(workspaceId: string, sha256: string, headers: DownloadHeaders): Promise<string | null>;
  /**
   * Deletes bytes whose rows were removed, of one workspace or of all. Those that cannot be deleted hold up no others, and are
   * due again after a pause.
   */
  deleteRemoved(workspaceId: string | null, limit: number): Promise<RemovedBytes>;
  /** See `BlobStore.ping`. */
  ping(): Promise<void>;
  /** Deletes files of this machine that killed processes left behind. Returns how many. */
  sweepTemporary(olderThanMs: number): Promise<number>;
}

/** `count`: how many were due; when it is the limit, there may be more. `errors`: of those that could not be deleted. */
export type RemovedBytes = { count: number; errors: readonly unknown[] };

/** A row that was inserted at this time. */
export type NewBlob = { sha256: string; used_at: string };
