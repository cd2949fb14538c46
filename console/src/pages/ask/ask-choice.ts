import { type SearchChoice, searchChoiceOf } from '../search/search-choice.ts';

/** Stands for a conversation that the next question starts. */
export const NEW_CONVERSATION = 'new';

/** What is asked. It is in the address; the question is not, because asking costs. */
export type AskChoice = Pick<SearchChoice, 'collections' | 'filters' | 'any'> & {
  /** The id of the conversation that the question continues, or `NEW_CONVERSATION`. */
  conversation?: string | undefined;
};

/** Reads what an address holds. */
export function askChoiceOf(given: Record<string, unknown>): AskChoice {
  const { collections, filters, any } = searchChoiceOf(given);
  const { conversation } = given;
  return {
    ...(collections === undefined ? {} : { collections }),
    ...(filters === undefined ? {} : { filters }),
    ...(any === undefined ? {} : { any }),
    ...(typeof conversation === 'string' && conversation !== '' ? { conversation } : {}),
  };
}
