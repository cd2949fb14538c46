import { assertNever } from '#domain/app-error.ts';

/**
 * Terms for range queries on numbers: a trie over their sortable 64-bit form, four bits per level. A number is indexed under all
 * 16 prefixes of its hexadecimal form; a range query is the few prefixes that cover the range exactly.
 * Schindler, U., Diepenbroek, M. (2008): Generic XML-based framework for metadata portals. Computers & Geosciences 34(12);
 * also Lucene's NumericRangeQuery.
 */

const BITS_PER_DIGIT = 4n;
const DIGITS = 16;
const SIGN_BIT = 1n << 63n;
const ALL_BITS = (1n << 64n) - 1n;

/** Maps finite numbers to integers in the same order: a < b exactly when sortable(a) < sortable(b); -0 equals 0. */
function sortable(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  return bits & SIGN_BIT ? bits ^ ALL_BITS : bits | SIGN_BIT;
}

const SMALLEST = sortable(-Number.MAX_VALUE);
const LARGEST = sortable(Number.MAX_VALUE);

/** Returns the full 16-digit term, which only this number has. */
export function exactNumberTerm(value: number): string {
  return digits(sortable(value), DIGITS);
}

/** Returns all prefixes under which a number is indexed, longest first. */
export function numberPrefixTerms(value: number): string[] {
  const full = exactNumberTerm(value);
  return Array.from({ length: DIGITS }, (_, cut) => full.slice(0, DIGITS - cut));
}

/** Returns the prefixes (at most 272) that cover exactly the numbers on this side of the bound; empty when there are none. */
export function numberRangeTerms(bound: 'gt' | 'gte' | 'lt' | 'lte', value: number): string[] {
  const at = sortable(value);
  switch (bound) {
    case 'gt':
      return prefixesCovering(at + 1n, LARGEST);
    case 'gte':
      return prefixesCovering(at, LARGEST);
    case 'lt':
      return prefixesCovering(SMALLEST, at - 1n);
    case 'lte':
      return prefixesCovering(SMALLEST, at);
    default:
      return assertNever(bound);
  }
}

/** Works inwards from both ends: adds the digits that do not fill a parent at this level, and continues with the parents. */
function prefixesCovering(from: bigint, to: bigint): string[] {
  const terms: string[] = [];
  const last = (1n << BITS_PER_DIGIT) - 1n;
  let [low, high, length] = [from, to, DIGITS];
  while (length > 1 && (low >> BITS_PER_DIGIT !== high >> BITS_PER_DIGIT || high - low === last)) {
    while ((low & last) !== 0n) terms.push(digits(low++, length));
    while ((high & last) !== last) terms.push(digits(high--, length));
    if (low > high) return terms;
    [low, high, length] = [low >> BITS_PER_DIGIT, high >> BITS_PER_DIGIT, length - 1];
  }
  while (low <= high) terms.push(digits(low++, length));
  return terms;
}

function digits(value: bigint, length: number): string {
  return value.toString(16).padStart(length, '0');
}
