/** Creates a function that tells whether `ms` have passed since its first call: then nothing further is started. */
export function createStartLimit(ms: number | undefined): () => boolean {
  let start: number | null = null;
  return () => {
    const now = performance.now();
    start ??= now;
    return ms !== undefined && now - start > ms;
  };
}
