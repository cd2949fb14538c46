import type { Field } from './fields.ts';

/** A value that can be compared. JSON null means "no value": a key with null counts as absent. */
export type Scalar = string | number | boolean;

export type JsonObject = { readonly [key: string]: unknown };

/**
 * A validated filter, reduced to three tests and three connectives. `parseFilter` creates it from a request; `compileFilter`
 * translates it for the index, `matchesFilter` evaluates it on a row, and both always agree.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | { readonly kind: 'exists'; readonly field: Field }
  /** True when the field, or one of its array elements, is one of these values (same type, same value). */
  | { readonly kind: 'one_of'; readonly field: Field; readonly values: ReadonlySet<Scalar> }
  | RangeFilter;

/**
 * True when the field, or one of its array elements, is a number (or a date) on this side of the bound. Numbers are never
 * compared with dates. `value` is a finite number; for dates, milliseconds since 1970.
 */
export type RangeFilter = {
  readonly kind: 'range';
  readonly field: Field;
  readonly scale: 'number' | 'date';
  readonly bound: 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: number;
};

/** The fields of a content that a filter can address; unset fields are null. */
export type FilterContent = {
  content_id: string;
  name: string | null;
  type: string | null;
  external_id: string | null;
  /** File name or URL, as results show it, and `file`, `url` or `text`. */
  source: string | readonly string[] | null;
  content_hash: string | null;
  size: number | null;
  /** Unix seconds, ISO 8601 or a Date; compared in whole seconds, as the API returns them. */
  created_at: number | string | Date;
};

/** The data of one chunk that filters test. `metadata` is that of the content, `chunk` that of the chunk. */
export type FilterRecord = { content: FilterContent; metadata: JsonObject; chunk: JsonObject };

/** True when a condition is on the data of a chunk, which a content as a whole does not have. */
export function readsChunk(filter: Filter): boolean {
  if ('operands' in filter) return filter.operands.some(readsChunk);
  return 'operand' in filter ? readsChunk(filter.operand) : filter.field.area === 'chunk';
}
