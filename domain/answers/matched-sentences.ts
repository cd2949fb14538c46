import type { QueryMatcher } from '#domain/search/find-matches.ts';
import { sentenceSpans, type Span } from './sentence-spans.ts';

/** A sentence of a text, and the words of a query that it has, inflections included, as they are spelled in the query. */
export type MatchedSentence = Span & { matched: ReadonlySet<string> };

/** The sentences of a text with what they have of a query. Function words do not count. */
export function matchedSentences(text: string, matcher: QueryMatcher): MatchedSentence[] {
  const matches = matcher.findMatches(text);
  let next = 0;
  return sentenceSpans(text).map(({ start, end }) => {
    const matched = new Set<string>();
    for (; next < matches.length; next++) {
      const match = matches[next];
      if (match === undefined || match.start >= end) break;
      if (match.start >= start) matched.add(match.queryWord.toLowerCase());
    }
    return { start, end, matched };
  });
}
