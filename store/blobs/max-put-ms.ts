/** Time for an upload of bytes: a minimum, and what they take at 100 kB/s. */
const MIN_PUT_MS = 30_000;
export const MIN_BYTES_PER_MS = 100;

/** Returns how long an upload of bytes may take. */
export function maxPutMs(sizeBytes: number): number {
  return MIN_PUT_MS + Math.ceil(sizeBytes / MIN_BYTES_PER_MS);
}
