import { z } from 'zod';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';

/** Tokens of a result where the caller does not choose: what clients take without a warning. */
export const STANDARD_TOKENS = 6_000;
const MIN_TOKENS = 500;
const MAX_TOKENS = 20_000;
/** What a result has besides its entries: notes, totals, cursors. */
const FRAME_TOKENS = 300;
/** No result is larger, so that its bytes are bounded as well: it is sent twice, as text and as structure. */
export const LARGEST_RESULT_TOKENS = MAX_TOKENS + 2 * FRAME_TOKENS;
/** A text is cut at the end of a line, or else of a word, within this part of its end. */
const CUT_SEARCH_PART = 0.1;

/** The argument `max_tokens` of a tool. */
export const MaxTokens = z
  .int()
  .min(MIN_TOKENS)
  .max(MAX_TOKENS)
  .default(STANDARD_TOKENS)
  .meta({ description: 'Approximate size limit of the result.' });

/** Returns about how many tokens a value has as JSON; rather too many. */
export function tokensOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value));
}

/** Returns how many tokens the entries of a result may have together. */
export function entryTokens(maxTokens: number): number {
  return maxTokens - FRAME_TOKENS;
}

/** Returns how many of the entries, from the first one on, fit together. */
export function countFitting(entries: readonly unknown[], maxTokens: number): number {
  let left = maxTokens;
  const over = entries.findIndex((entry) => (left -= tokensOf(entry)) < 0);
  return over === -1 ? entries.length : over;
}

/**
 * Reads a page of which every row fits into a result: once more, shorter, when the first one is too large, so that its cursor
 * goes on exactly after the last row that is shown.
 */
export async function readFittingPage<Row, Page extends { data: readonly Row[] }>(
  limit: number,
  read: (limit: number) => Promise<Page>,
  show: (row: Row) => unknown,
): Promise<Page> {
  const page = await read(limit);
  const fitting = countFitting(page.data.map(show), entryTokens(STANDARD_TOKENS));
  return fitting < page.data.length ? read(Math.max(1, fitting)) : page;
}

/** Returns the longest beginning of a text that fits, preferably whole lines or words. */
export function cutText(text: string, maxTokens: number): string {
  // A character has at least a third of a token.
  const start = text.slice(0, 3 * Math.max(0, maxTokens)).toWellFormed();
  if (tokensOf(start) <= maxTokens) return start.length === text.length ? text : withoutHalf(start, text);
  let [fits, over] = [0, start.length];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (tokensOf(start.slice(0, middle)) <= maxTokens) fits = middle;
    else over = middle;
  }
  return withoutHalf(atBreak(start.slice(0, fits)), text);
}

function atBreak(text: string): string {
  const from = Math.floor(text.length * (1 - CUT_SEARCH_PART));
  const line = text.lastIndexOf('\n') + 1;
  if (line > from) return text.slice(0, line);
  const word = text.lastIndexOf(' ') + 1;
  return word > from ? text.slice(0, word) : text;
}

/** Leaves out the first half of a character whose second half is cut off. */
function withoutHalf(start: string, whole: string): string {
  const end = start.length;
  const isSplit = end > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(whole.slice(end - 1, end + 1));
  return isSplit ? whole.slice(0, end - 1) : whole.slice(0, end);
}

/** Returns a text of at most so many characters; the last one says that it was cut. */
export function shorten(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}
