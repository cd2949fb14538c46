export const MASKED_VALUE = '********';

/**
 * The same shape with every value masked, so that one sees what is set and not what it is. Numbers and flags are masked as
 * well: a PIN is a number. The depth of `value` must be bounded.
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
