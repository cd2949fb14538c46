import { type SearchChoice, searchChoiceOf } from '../search/search-choice.ts';

/** What is asked. It is in the address; the question is not, because asking costs. */
export type AskChoice = Pick<SearchChoice, 'collections' | 'filters' | 'any'>;

/** Reads what an address holds. */
export function askChoiceOf(given: Record<string, unknown>): AskChoice {
  const { collections, filters, any } = searchChoiceOf(given);
  return {
    ...(collections === undefined ? {} : { collections }),
    ...(filters === undefined ? {} : { filters }),
    ...(any === undefined ? {} : { any }),
  };
}
