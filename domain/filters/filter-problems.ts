import type { ValidationIssue } from '#domain/app-error.ts';
import type { Filter } from './filter.ts';

/** State of parsing one filter: its problems, and the numbers of conditions and values so far. */
export type FilterParse = { readonly issues: ValidationIssue[]; conditions: number; values: number };

/** The part of the request that is being parsed. */
export type FilterPlace = { readonly parse: FilterParse; readonly loc: readonly string[]; readonly depth: number };

/** Placeholder for an invalid part; a filter with problems is never used. */
const MATCHES_NOTHING: Filter = { kind: 'or', operands: [] };

/** Adds a problem and returns a placeholder. The message must not repeat the input. */
export function reportProblem(place: FilterPlace, msg: string, type: string): Filter {
  place.parse.issues.push({ loc: [...place.loc], msg, type });
  return MATCHES_NOTHING;
}

/** Returns the place of a key or array index within a place. */
export function placeOfKey(place: FilterPlace, key: string | number): FilterPlace {
  return { ...place, loc: [...place.loc, String(key)] };
}

/** Returns the same place with the nesting depth of `$and`, `$or` and `$not` increased by one. */
export function nestedPlace(place: FilterPlace): FilterPlace {
  return { ...place, depth: place.depth + 1 };
}
