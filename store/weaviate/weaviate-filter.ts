import type { Collection, FilterValue } from 'weaviate-client';
import { assertNever } from '#domain/app-error.ts';
import type { FacetQuery } from '#domain/filters/compile-filter.ts';
import type { StoredProperties } from './class-definition.ts';
import { Filters } from './filters.ts';

/** A Weaviate filter; a string where everything or nothing matches. */
export type WeaviateFilter = FilterValue | 'everything' | 'nothing';

/** Translates a facet query. Weaviate has no constant filters, so constant operands are simplified here. */
export function toWeaviateFilter(query: FacetQuery, collection: Collection<StoredProperties>): WeaviateFilter {
  switch (query.kind) {
    case 'contains_any':
      if (query.terms.length === 0) return 'nothing';
      return collection.filter.byProperty('facets').containsAny([...query.terms]);
    case 'not': {
      const operand = toWeaviateFilter(query.operand, collection);
      if (operand === 'everything') return 'nothing';
      return operand === 'nothing' ? 'everything' : Filters.not(operand);
    }
    case 'and':
    case 'or': {
      const [absorbing, neutral] =
        query.kind === 'and' ? (['nothing', 'everything'] as const) : (['everything', 'nothing'] as const);
      const operands = query.operands.map((operand) => toWeaviateFilter(operand, collection));
      if (operands.includes(absorbing)) return absorbing;
      const filters = operands.filter((operand) => typeof operand !== 'string');
      const [first] = filters;
      if (!first) return neutral;
      return filters.length === 1 ? first : query.kind === 'and' ? Filters.and(...filters) : Filters.or(...filters);
    }
    default:
      return assertNever(query);
  }
}
