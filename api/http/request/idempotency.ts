import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { validationError } from '#domain/app-error.ts';

const HEADER = 'Idempotency-Key';
/** The form of a key. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Returns the `Idempotency-Key` of a request, or null without one. @throws AppError `validation_failed`. */
export function readIdempotencyKey(context: Context): string | null {
  const sent = context.get(HEADER);
  if (sent === '') return null;
  if (IDEMPOTENCY_KEY.test(sent)) return sent;
  const msg = 'Must be 1 to 255 visible ASCII characters';
  throw validationError([{ loc: ['header', HEADER], msg, type: 'invalid_format' }]);
}

/** Returns the SHA-256 (hex) of the operation and its JSON. Two requests with equal content in another key order are the same. */
export function fingerprintOf(operation: string, content: unknown): string {
  return createHash('sha256').update(operation).update('\n').update(canonicalJson(content)).digest('hex');
}

/** Returns JSON with the keys of every object sorted. Recursive: the depth of `value` must be bounded. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
