/** What types of files are told by. */
const HEAD_BYTES = 64 * 1024;

/** Passes bytes on and keeps the first 64 KiB of them in `head`. */
export async function* keepHead(bytes: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncIterable<Uint8Array> {
  let kept = 0;
  for await (const part of bytes) {
    if (kept < HEAD_BYTES) {
      head.push(part.subarray(0, HEAD_BYTES - kept));
      kept += part.length;
    }
    yield part;
  }
}
