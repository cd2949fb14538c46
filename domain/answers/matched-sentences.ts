import { storedText } from '#domain/chunking/chunker.ts';
import type { MatchedPart, QueryMatcher } from '#domain/search/find-matches.ts';
import { sentenceSpans, type Span } from './sentence-spans.ts';

/** A sentence of a text, and what it has of the words of a query, inflections included. */
export type MatchedSentence = Span & { matched: ReadonlySet<MatchedPart> };

/**
 * The sentences of a text with what they have of a query. Function words do not count. `context`: what was indexed before the text.
 */
export function matchedSentences(text: string, matcher: QueryMatcher, context: string): MatchedSentence[] {
  const matches = matcher.findMatches(text, storedText({ context, content: text }));
  let next = 0;
  return sentenceSpans(text).map(({ start, end }) => {
    const matched = new Set<MatchedPart>();
    for (; next < matches.length; next++) {
      const match = matches[next];
      if (match === undefined || match.start >= end) break;
      if (match.start >= start) for (const part of match.parts) matched.add(part);
    }
    return { start, end, matched };
  });
}
