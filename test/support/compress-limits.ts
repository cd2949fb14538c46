/** Limits of compressing for tests that want no particular ones: the defaults. */
export const COMPRESS_LIMITS = {
  maxBytes: 1024 * 1024,
  maxJobBytes: 8 * 1024 * 1024,
  timeoutMs: 60_000,
  retentionMs: 168 * 3_600_000,
};
