import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { validationError } from '#domain/app-error.ts';

const HEADER = 'Idempotency-Key';
const FORM = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, null when there is none. @throws AppError `validation_failed`. */
export function readIdempotencyKey(context: Context): string | null {
  const sent = context.get(HEADER);
  if (sent === '') return null;
  if (FORM.test(sent)) return sent;
  const msg = 'Must be 1 to 255 visible ASCII characters';
  throw validationError([{ loc: ['header', HEADER], msg, type: 'invalid_format' }]);
}

/** SHA-256 (hex) over what makes two requests the same: the operation and its JSON, whatever the order of its keys. */
export function fingerprintOf(operation: string, content: unknown): string {
  return createHash('sha256').update(operation).update('\n').update(canonicalJson(content)).digest('hex');
}

/** JSON with the keys of every object sorted. The depth of `value` must be bounded. */
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
