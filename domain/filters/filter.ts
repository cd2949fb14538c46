import type { Field } from './fields.ts';

/** A value that can be compared. JSON null is "no value": a key that holds it counts as absent. */
export type Scalar = string | number | boolean;

export type JsonObject = { readonly [key: string]: unknown };

/**
 * A checked filter, reduced to three tests and three connectives. What a request may write is in `parseFilter`;
 * `compileFilter` runs this inside the index, `matchesFilter` on a row, and both always agree.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | { readonly kind: 'exists'; readonly field: Field }
  /** True when the field, or one of its array elements, is one of these values (same type, same value). */
  | { readonly kind: 'one_of'; readonly field: Field; readonly values: readonly Scalar[] }
  | RangeFilter;

/**
 * True when the field, or one of its array elements, is a number (or a date) on this side of the bound. A number
 * never compares with a date. `value` is a finite number, for dates milliseconds since 1970.
 */
export type RangeFilter = {
  readonly kind: 'range';
  readonly field: Field;
  readonly scale: 'number' | 'date';
  readonly bound: 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: number;
};

/** The fields of a content that a filter can name; all that may be unset are null. */
export type FilterContent = {
  content_id: string;
  name: string | null;
  type: string | null;
  external_id: string | null;
  source: string | null;
  content_hash: string | null;
  size: number | null;
  /** Unix seconds, ISO 8601 or a Date; compared in whole seconds, as the interface shows them. */
  created_at: number | string | Date;
};

/** What a filter sees of one chunk. `metadata` is the content's, `chunk` the chunk's own. */
export type FilterRecord = { content: FilterContent; metadata: JsonObject; chunk: JsonObject };
