import { totalWeight, type QueryMatcher } from '#domain/search/find-matches.ts';
import { matchedSentences } from './matched-sentences.ts';
import { sentenceSpans, type Span } from './sentence-spans.ts';
import { statementWeight } from './statement-weight.ts';

export type Quote = Span & { quote: string };

/** How far back the statement before a mark is looked for, in characters. */
const STATEMENT_REACH = 600;
const MARKS = /\s*\[\d+\]/g;

/** The sentence of the answer that a mark at `at` belongs to: the one that it stands in, or directly behind. */
export function statementBefore(answer: string, at: number): string {
  const before = answer.slice(Math.max(0, at - STATEMENT_REACH), at).replaceAll(MARKS, '');
  const last = sentenceSpans(before).at(-1);
  return last === undefined ? '' : before.slice(last.start, last.end);
}

/**
 * Returns the sentence of a passage that has most words in common with a statement, the shortest of several, or null when no
 * sentence has any: then the passage does not say what it is cited for, or says it in other words. Headings count less. `context`:
 * what was indexed before the passage.
 */
export function findQuote(passage: string, statement: QueryMatcher, context = ''): Quote | null {
  let best: { span: Span; score: number } | null = null;
  for (const { start, end, matched } of matchedSentences(passage, statement, context)) {
    if (matched.size === 0) continue;
    const score = totalWeight(matched) * statementWeight(passage, { start, end });
    const isShorter = best !== null && score === best.score && end - start < best.span.end - best.span.start;
    if (best === null || score > best.score || isShorter) best = { span: { start, end }, score };
  }
  return best === null ? null : { ...best.span, quote: passage.slice(best.span.start, best.span.end) };
}
