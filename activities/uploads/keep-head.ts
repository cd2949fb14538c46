/** The part of a file from which its media type is detected. */
const HEAD_BYTES = 64 * 1024;

/** Passes bytes through and keeps the first 64 KiB of them in `head`. */
export async function* keepHead(bytes: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncIterable<Uint8Array> {
  let kept = 0;
  for await (const chunk of bytes) {
    if (kept < HEAD_BYTES) {
      head.push(chunk.subarray(0, HEAD_BYTES - kept));
      kept += chunk.length;
    }
    yield chunk;
  }
}
