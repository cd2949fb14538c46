import { readQuery } from '#domain/search/find-matches.ts';
import { readTextTerms } from '#domain/search/text-terms.ts';

/**
 * Words in these scripts are whole in the property `text`. The tokenizer cuts others at their combining marks, into letters that
 * say nothing: of them, only the terms are searched.
 */
const WHOLE_SCRIPTS = 'Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Han Hiragana Katakana Hangul'
  .split(' ')
  .map((script) => `\\p{Script=${script}}`);
const IS_WHOLE = new RegExp(`^[${WHOLE_SCRIPTS.join('')}\\p{N}ー]+$`, 'u');

/**
 * Returns the value of the property `text_stemmed`: the terms of a text, without accents, stemmed by script and by the language
 * of the text, and scripts without spaces and Hangul as overlapping pairs of characters and single ones. Words with digits stay
 * whole.
 */
export function stemmedText(text: string): string {
  const terms: string[] = [];
  for (const word of readTextTerms(text)) terms.push(...word.terms);
  return terms.join(' ');
}

/**
 * Returns the text that is searched in the text and the stemmed text together: the words of the query that are whole in the
 * text, and the terms of all in every language. Function words (`what`, `is`, `the`) are left out unless there are no others.
 * Empty when the query has no word.
 */
export function keywordQuery(query: string): string {
  const words = readQuery(query);
  const whole = words.map(({ word }) => word).filter((word) => IS_WHOLE.test(word));
  return [...whole, ...words.flatMap(({ terms }) => terms)].join(' ');
}
