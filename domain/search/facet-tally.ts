import { hash } from 'node:crypto';
import type { Scalar } from '#domain/filters/filter.ts';
import { MAX_FACET_VALUES, type FacetCounts } from '#domain/records/search-options.ts';

/** Longer values are counted as different ones, but not listed. */
const MAX_VALUE_CHARACTERS = 500;
/** Further values are not counted: memory is bounded whatever the contents have. A field with one value has no more. */
const MAX_VALUES = 20_000;

/** Counts contents by their values of one field. */
export class FacetTally {
  readonly #counts = new Map<Scalar, number>();
  readonly #longValues = new Set<string>();
  #missing = 0;
  #isFull = false;

  /** Adds contents that have the same values. */
  add(values: ReadonlySet<Scalar>, contents: number): void {
    if (values.size === 0) this.#missing += contents;
    for (const value of values) this.#count(value, contents);
  }

  /** `isComplete`: all contents were added. Else, and if there were too many values, the counts are lower bounds. */
  toCounts(isComplete: boolean): FacetCounts {
    const sorted = [...this.#counts].sort(
      ([a, countA], [b, countB]) => countB - countA || (String(a) < String(b) ? -1 : 1),
    );
    return {
      values: sorted.slice(0, MAX_FACET_VALUES).map(([value, count]) => ({ value, count })),
      distinct_count: this.#counts.size + this.#longValues.size,
      missing_count: this.#missing,
      is_exact: isComplete && !this.#isFull,
    };
  }

  #count(value: Scalar, contents: number): void {
    const isLong = typeof value === 'string' && value.length > MAX_VALUE_CHARACTERS;
    const key = isLong ? hash('sha256', value, 'base64') : value;
    const isKnown = isLong ? this.#longValues.has(String(key)) : this.#counts.has(key);
    if (!isKnown && this.#counts.size + this.#longValues.size >= MAX_VALUES) {
      this.#isFull = true;
      return;
    }
    if (isLong) this.#longValues.add(String(key));
    else this.#counts.set(key, (this.#counts.get(key) ?? 0) + contents);
  }
}
