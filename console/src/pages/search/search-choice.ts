import { addressText } from '../../components/filters/address-text.ts';
import { type FilterRow, filterRowsOf } from './filter-row.ts';

export const SEARCH_TYPES = ['hybrid', 'keyword', 'vector'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];
export const RESULT_COUNTS = [10, 20, 50, 100] as const;
export const DEFAULT_RESULTS = 10;

/** What is searched for, and how. It is in the address, so that a search can be shared and survives going back. */
export type SearchChoice = {
  query?: string | undefined;
  /** Ids; without any, every collection that the key reaches. */
  collections?: string[] | undefined;
  /** `compare` shows the three side by side; `hybrid` is left out. */
  type?: 'keyword' | 'vector' | 'compare' | undefined;
  filters?: FilterRow[] | undefined;
  /** Whether one matching condition is enough. */
  any?: true | undefined;
  results?: number | undefined;
};

/** Reads what an address holds. */
export function searchChoiceOf(given: Record<string, unknown>): SearchChoice {
  const { collections, type, any, results } = given;
  const query = addressText(given['query']);
  const ids = Array.isArray(collections) ? collections.filter((id) => typeof id === 'string') : [];
  const filters = filterRowsOf(given['filters']);
  return {
    ...(query === undefined ? {} : { query }),
    ...(ids.length > 0 ? { collections: ids } : {}),
    ...(type === 'keyword' || type === 'vector' || type === 'compare' ? { type } : {}),
    ...(filters.length > 0 ? { filters } : {}),
    ...(any === true ? { any } : {}),
    ...(RESULT_COUNTS.some((count) => count === results) && results !== DEFAULT_RESULTS
      ? { results: Number(results) }
      : {}),
  };
}
