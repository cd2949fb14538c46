import type { Schemas } from '../../api/schemas.ts';
import { filtersOf } from './filter-row.ts';
import { DEFAULT_RESULTS, type SearchChoice, type SearchType } from './search-choice.ts';

export type SearchRequest = Schemas['SearchRequest'] & { search_type: SearchType; max_results: number };

/** Returns the body of the search, the same that is shown to be copied. */
export function searchRequestOf(choice: SearchChoice, type: SearchType): SearchRequest {
  const { query = '', collections = [], results = DEFAULT_RESULTS } = choice;
  const [only] = collections;
  const filters = filtersOf(choice.filters ?? [], choice.any === true);
  return {
    ...(only !== undefined && collections.length === 1 ? { collection_id: only } : { collection_ids: collections }),
    query,
    search_type: type,
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    max_results: results,
    highlight: {},
    explain: true,
  };
}
