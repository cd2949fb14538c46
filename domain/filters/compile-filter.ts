import { assertNever } from '#domain/app-error.ts';
import { existenceTerm, scaleTerms, valueTerm } from './facets.ts';
import type { Filter, RangeFilter } from './filter.ts';
import { numberRangeTerms } from './number-terms.ts';

/** A condition on the facets of an object, independent of the index. `contains_any` is true when it has one of the terms. */
export type FacetQuery =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly FacetQuery[] }
  | { readonly kind: 'not'; readonly operand: FacetQuery }
  | { readonly kind: 'contains_any'; readonly terms: readonly string[] };

/**
 * Compiles a filter to a condition on `recordFacets(record)` with the same result as `matchesFilter(filter, record)`.
 * `contains_any` without terms matches nothing.
 */
export function compileFilter(filter: Filter): FacetQuery {
  switch (filter.kind) {
    case 'and':
      return join('and', filter.operands.map(compileFilter));
    case 'or':
      return join('or', mergeTerms(filter.operands.map(compileFilter)));
    case 'not': {
      const operand = compileFilter(filter.operand);
      return operand.kind === 'not' ? operand.operand : { kind: 'not', operand };
    }
    case 'exists':
      return { kind: 'contains_any', terms: [existenceTerm(filter.field.area, filter.field.path)] };
    case 'one_of': {
      const { area, path } = filter.field;
      return { kind: 'contains_any', terms: [...filter.values].map((value) => valueTerm(area, path, value)) };
    }
    case 'range':
      return { kind: 'contains_any', terms: rangeFacets(filter) };
    default:
      return assertNever(filter);
  }
}

function rangeFacets({ field, scale, bound, value }: RangeFilter): string[] {
  return scaleTerms({ area: field.area, path: field.path, scale }, numberRangeTerms(bound, value));
}

function join(kind: 'and' | 'or', operands: readonly FacetQuery[]): FacetQuery {
  const [only] = operands;
  return operands.length === 1 && only ? only : { kind, operands };
}

/** Merges the `contains_any` operands of `or` into one, which needs one lookup instead of several. */
function mergeTerms(operands: readonly FacetQuery[]): FacetQuery[] {
  const terms = operands.flatMap((operand) => (operand.kind === 'contains_any' ? operand.terms : []));
  const others = operands.filter((operand) => operand.kind !== 'contains_any');
  const hasTerms = others.length < operands.length;
  return hasTerms ? [{ kind: 'contains_any', terms: [...new Set(terms)] }, ...others] : others;
}
