const BYTES = 16;

/** Returns a value for `Idempotency-Key`. Unlike `crypto.randomUUID`, this works on pages without TLS as well. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
