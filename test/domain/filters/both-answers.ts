import { compileFilter, type FacetQuery } from '#domain/filters/compile-filter.ts';
import { recordFacets } from '#domain/filters/facets.ts';
import type { FilterRecord } from '#domain/filters/filter.ts';
import { createChunkTest, matchesFilter } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';

/** Evaluates the compiled query as an index does. */
function evaluate(query: FacetQuery, facets: ReadonlySet<string>): boolean {
  switch (query.kind) {
    case 'and':
      return query.operands.every((operand) => evaluate(operand, facets));
    case 'or':
      return query.operands.some((operand) => evaluate(operand, facets));
    case 'not':
      return !evaluate(query.operand, facets);
    case 'contains_any':
      return query.terms.some((term) => facets.has(term));
    default:
      throw new Error('unknown query');
  }
}

/** Evaluates a filter on the row and in the index. The row alone, and as one of several chunks of a content, gives the same. */
export function bothAnswers(input: unknown, record: FilterRecord): { row: boolean; index: boolean } {
  const filter = parseFilter(input);
  if (!filter) return { row: true, index: true };
  const row = matchesFilter(filter, record);
  const test = createChunkTest(filter, record);
  test({ page: 'another' });
  if (test(record.chunk) !== row) throw new Error('a chunk is judged differently among others');
  return { row, index: evaluate(compileFilter(filter), new Set(recordFacets(record))) };
}
