import { open } from 'node:fs/promises';

/** Bytes that are read in pieces: a file, or a part of another file that is in memory. */
export type RandomAccess = {
  sizeBytes: number;
  /** The bytes from an offset; zeros behind the end. */
  read(start: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
};

/** Opens the file of this path, or bytes in memory. */
export async function openRandomAccess(source: string | Buffer): Promise<RandomAccess> {
  if (typeof source !== 'string') {
    return {
      sizeBytes: source.length,
      read: (start, length) => {
        const bytes = Buffer.alloc(length);
        source.subarray(start, start + length).copy(bytes);
        return Promise.resolve(bytes);
      },
      close: () => Promise.resolve(),
    };
  }
  const file = await open(source);
  const { size: sizeBytes } = await file.stat();
  return {
    sizeBytes,
    read: async (start, length) => {
      const bytes = Buffer.alloc(length);
      await file.read(bytes, 0, length, start);
      return bytes;
    },
    close: () => file.close(),
  };
}
