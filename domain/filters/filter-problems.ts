import type { ValidationIssue } from '#domain/app-error.ts';
import { MAX_JSON_PATH_CHARACTERS } from '#domain/records/fields.ts';
import type { Filter } from './filter.ts';

/** State of parsing one filter: its problems, and the numbers of conditions and values so far. */
export type FilterParse = {
  readonly issues: ValidationIssue[];
  conditions: number;
  values: number;
  /** The fields that chunks have; null if any name is accepted. */
  readonly chunkFields: ReadonlySet<string> | null;
};

/** Limits of one filter, far above normal use. They bound the cost of hostile filters. */
export const FILTER_LIMITS = {
  /** Nesting of `$and`, `$or` and `$not`. */
  maxDepth: 16,
  /** Comparisons in the whole filter. An empty filter within another one counts as one. */
  maxConditions: 128,
  /** Values to compare with, in the whole filter. */
  maxValues: 1024,
  /** Characters of one key: the longest path in metadata, after the prefix `metadata.`. */
  maxKeyCharacters: MAX_JSON_PATH_CHARACTERS + 'metadata.'.length,
  /** Problems after which the rest of the filter is not read. */
  maxProblems: 100,
} as const;

/**
 * Whether a limit is exceeded, so that the rest need not be read: a filter of a megabyte would hold up the process for seconds.
 * Every part of a filter counts as a condition, a value or a problem.
 */
export function isOverLimit({ conditions, values, issues }: FilterParse): boolean {
  const { maxConditions, maxValues, maxProblems } = FILTER_LIMITS;
  return conditions > maxConditions || values > maxValues || issues.length >= maxProblems;
}

/** The part of the request that is being parsed. */
export type FilterPlace = { readonly parse: FilterParse; readonly loc: readonly string[]; readonly depth: number };

/** Placeholder for an invalid part; a filter with problems is never used. */
export const MATCHES_NOTHING: Filter = { kind: 'or', operands: [] };

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
