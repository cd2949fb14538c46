import { assertNever } from '#domain/app-error.ts';

/**
 * Numbers as terms of a trie over their sortable 64-bit form, four bits a step: a value is indexed under all 16 prefixes,
 * and a range is the few prefixes that cover it exactly.
 * Schindler, U., Diepenbroek, M. (2008): Generic XML-based framework for metadata portals. Computers & Geosciences 34(12);
 * also Lucene's NumericRangeQuery.
 */

const BITS_PER_STEP = 4n;
const DIGITS = 16;
const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

/** Order-preserving: a < b exactly when sortable(a) < sortable(b). Finite numbers only; -0 equals 0. */
function sortable(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  return bits & SIGN ? bits ^ ALL : bits | SIGN;
}

const SMALLEST = sortable(-Number.MAX_VALUE);
const LARGEST = sortable(Number.MAX_VALUE);

/** The full 16-digit term, which stands for the number alone. */
export function exactNumberTerm(value: number): string {
  return digits(sortable(value), DIGITS);
}

/** All prefixes under which a number is indexed, longest first. */
export function numberPrefixTerms(value: number): string[] {
  const full = exactNumberTerm(value);
  return Array.from({ length: DIGITS }, (_, cut) => full.slice(0, DIGITS - cut));
}

/** The prefixes that cover exactly the numbers on this side of the bound; empty when there are none. At most 272. */
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

/** From both ends inwards: what sticks out of a parent is named at this level, the rest one level up. */
function prefixesCovering(from: bigint, to: bigint): string[] {
  const terms: string[] = [];
  const last = (1n << BITS_PER_STEP) - 1n;
  let [low, high, length] = [from, to, DIGITS];
  while (length > 1 && (low >> BITS_PER_STEP !== high >> BITS_PER_STEP || high - low === last)) {
    while ((low & last) !== 0n) terms.push(digits(low++, length));
    while ((high & last) !== last) terms.push(digits(high--, length));
    if (low > high) return terms;
    [low, high, length] = [low >> BITS_PER_STEP, high >> BITS_PER_STEP, length - 1];
  }
  while (low <= high) terms.push(digits(low++, length));
  return terms;
}

function digits(value: bigint, length: number): string {
  return value.toString(16).padStart(length, '0');
}
