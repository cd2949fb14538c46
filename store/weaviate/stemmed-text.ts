import { readQuery } from '#domain/search/find-matches.ts';
import { readTextTerms } from '#domain/search/text-terms.ts';

/**
 * Returns the value of the property `text_stemmed`: the terms of a text, without accents, stemmed by script and by the language
 * of the text, and scripts without spaces and Hangul as overlapping pairs of characters. Words with digits stay whole.
 */
export function stemmedText(text: string): string {
  const terms: string[] = [];
  for (const word of readTextTerms(text)) terms.push(...word.terms);
  return terms.join(' ');
}

/**
 * Returns the text that is searched in the text and the stemmed text together: the words of the query, and their terms in every
 * language. Function words (`what`, `is`, `the`) are left out unless there are no other words. Empty when the query has no word.
 */
export function keywordQuery(query: string): string {
  const words = readQuery(query);
  return [...words.map(({ word }) => word), ...words.flatMap(({ terms }) => terms)].join(' ');
}
