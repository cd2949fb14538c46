import type { ValidationIssue } from '#domain/app-error.ts';
import type { Filter } from './filter.ts';

/** What parsing gathers: every problem, and how much has been used of each limit. */
export type FilterParse = { readonly issues: ValidationIssue[]; conditions: number; values: number };

/** Where in the request parsing is. */
export type FilterPlace = { readonly parse: FilterParse; readonly loc: readonly string[]; readonly depth: number };

/** Stands where a problem was reported; the filter is never used then. */
const MATCHES_NOTHING: Filter = { kind: 'or', operands: [] };

/** Adds a problem. Its message never repeats the input. */
export function reportProblem(at: FilterPlace, msg: string, type: string): Filter {
  at.parse.issues.push({ loc: [...at.loc], msg, type });
  return MATCHES_NOTHING;
}

/** The place of a key or index below this one. */
export function placeOfKey(place: FilterPlace, step: string | number): FilterPlace {
  return { ...place, loc: [...place.loc, String(step)] };
}

/** The same place, one level deeper in connectives. */
export function nestedPlace(place: FilterPlace): FilterPlace {
  return { ...place, depth: place.depth + 1 };
}
