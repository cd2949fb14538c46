/** Reads a text that an address of a page holds: the router takes `2026` and `true` for other values. Undefined if there is none. */
export function addressText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
