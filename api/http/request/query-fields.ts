import { z } from 'zod';

/** Schemas of query parameters, which are text on the wire. */

/** A whole number within the bounds, both included. */
export function queryInteger(bounds: { min: number; max: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'Must be a whole number')
    .transform(Number)
    .pipe(z.int().min(bounds.min).max(bounds.max));
}

/** `skip` of a list: any number, also one beyond its end. */
export function querySkip() {
  return queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** `limit` of a list. */
export function pageLimit({ max, standard }: { max: number; standard: number }) {
  return queryInteger({ min: 1, max })
    .default(standard)
    .meta({ description: 'Page size. A page also ends when its texts and JSON values reach 1 MiB.' });
}

/** `true`, `false`, `1` or `0`. */
export function queryBoolean() {
  return z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'Must be true, false, 1 or 0' });
}

/** The `next_cursor` of an earlier response. */
export const CursorQueryField = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .meta({ description: 'The `next_cursor` of the previous response; omit it for the first page' });

/** The page of a list newest first. */
export function newestQuery() {
  return { limit: pageLimit({ max: 200, standard: 50 }), cursor: CursorQueryField };
}
