import { open } from 'node:fs/promises';

/** Bytes of the beginning of a file that tell its type. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Reads the beginning of a file. */
export async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(MAX_HEAD_BYTES);
    let sizeBytes = 0;
    for (let read = -1; read !== 0 && sizeBytes < head.length; sizeBytes += read)
      read = (await file.read(head, sizeBytes, head.length - sizeBytes)).bytesRead;
    return head.subarray(0, sizeBytes);
  } finally {
    await file.close();
  }
}
