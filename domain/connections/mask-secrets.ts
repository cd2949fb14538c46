const MASKED_VALUE = '********';

/**
 * Returns an object of the same shape with every value masked, which shows what is set but not the values. Numbers and booleans
 * are masked too: a PIN is a number. The depth of `value` must be bounded.
 */
export function maskSecrets(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner)]));
}

function maskValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object') return MASKED_VALUE;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner)]));
}
