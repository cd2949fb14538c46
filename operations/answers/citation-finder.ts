import { setImmediate } from 'node:timers/promises';
import type { CitationMark } from '#domain/answers/citation-reader.ts';
import { findQuote, statementBefore } from '#domain/answers/find-quote.ts';
import type { Passage } from '#domain/answers/passages.ts';
import type { Citation } from '#domain/records/answer.ts';
import { createMatcher, type QueryMatcher } from '#domain/search/find-matches.ts';

type QuotePlace = { quote: string | null; start: number | null; end: number | null };

const NO_QUOTE: QuotePlace = { quote: null, start: null, end: null };

/**
 * Finds what the marks of one answer cite. A sentence is looked for once for each statement and passage, as stemming a passage takes
 * long, and a statement is read once for the passages that it cites.
 */
export class CitationFinder {
  readonly #passages: readonly Passage[];
  readonly #contexts: ReadonlyMap<string, string>;
  readonly #quotes = new Map<string, QuotePlace>();
  #statement: { text: string; matcher: QueryMatcher } | null = null;

  /** `contexts`: by the id of the chunk, what is indexed before its text. */
  constructor(passages: readonly Passage[], contexts: ReadonlyMap<string, string>) {
    this.#passages = passages;
    this.#contexts = contexts;
  }

  /** `answer`: its text up to the mark at least. Null for the number of no passage. */
  async find({ number, at, cited }: CitationMark, answer: string): Promise<Citation | null> {
    const passage = this.#passages[number - 1];
    if (passage === undefined) return null;
    const { content, content_id, chunk_id, source, page } = passage;
    const place = cited
      ? { ...cited, quote: content.slice(cited.start, cited.end) }
      : await this.#quoteFor(passage, statementBefore(answer, at));
    return { number, at, content_id, chunk_id, source, page, ...place };
  }

  async #quoteFor({ number, content, chunk_id }: Passage, statement: string): Promise<QuotePlace> {
    const key = `${number} ${statement}`;
    const known = this.#quotes.get(key);
    if (known) return known;
    const place = findQuote(content, this.#read(statement), this.#contexts.get(chunk_id)) ?? NO_QUOTE;
    this.#quotes.set(key, place);
    // Other requests are served before the next one.
    await setImmediate();
    return place;
  }

  #read(statement: string): QueryMatcher {
    if (this.#statement?.text !== statement) this.#statement = { text: statement, matcher: createMatcher(statement) };
    return this.#statement.matcher;
  }
}
