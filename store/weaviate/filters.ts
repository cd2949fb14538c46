import type { FilterValue } from 'weaviate-client';

/**
 * Combines filters as the class of this name in Weaviate's client does. The client consists of hundreds of modules, which the
 * first call that needs them loads: a process that searches nothing starts without.
 */
export const Filters = {
  and: (...filters: FilterValue[]): FilterValue => ({ operator: 'And', filters, value: null }),
  or: (...filters: FilterValue[]): FilterValue => ({ operator: 'Or', filters, value: null }),
  not: (filter: FilterValue): FilterValue => ({ operator: 'Not', filters: [filter], value: null }),
};
