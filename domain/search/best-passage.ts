import type { MatchedPart, TermMatch } from './find-matches.ts';

/** A part of a text, `[start, end)` in UTF-16 code units, and the matches in it. */
export type Passage = { start: number; end: number; matches: TermMatch[] };

type Span = { start: number; end: number };

const HEADING = /^\s*#{1,6}\s/;
/** Longer texts are searched in their first part: time is bounded whatever a chunk contains. */
const MAX_CHARACTERS = 100_000;

/**
 * Returns the sentences of a text that have the most words of a query, as many as fit into `maxCharacters`; a longer sentence is
 * cut at words around its first match. Without a match, the beginning of the text.
 */
export function bestPassage(text: string, matches: readonly TermMatch[], maxCharacters: number): Passage {
  const window = new MatchWindow(matches);
  let best: { span: Span; value: number; first: number | null } | null = null;
  for (const span of spansOf(sentencesOf(text.slice(0, MAX_CHARACTERS)), maxCharacters)) {
    window.moveTo(span);
    const { value, first } = window;
    if (best === null || value > best.value) best = { span, value, first };
  }
  const whole = best?.span ?? { start: 0, end: 0 };
  const { start, end } = cutAtWords(text, whole, { at: best?.first ?? whole.start, maxCharacters });
  return { start, end, matches: matches.filter((match) => match.start >= start && match.end <= end) };
}

/** Sentences without white space at their ends; headings only if there is nothing else. */
function sentencesOf(text: string): Span[] {
  const all: (Span & { isHeading: boolean })[] = [];
  for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    const trimmed = segment.trim();
    if (trimmed === '') continue;
    const start = index + segment.indexOf(trimmed);
    all.push({ start, end: start + trimmed.length, isHeading: HEADING.test(segment) });
  }
  const prose = all.filter((sentence) => !sentence.isHeading);
  return prose.length > 0 ? prose : all;
}

/** Yields from each sentence on as many as fit. Neither their starts nor their ends ever move back. */
function* spansOf(sentences: readonly Span[], maxCharacters: number): Generator<Span> {
  let last = 0;
  for (const [index, { start, end }] of sentences.entries()) {
    last = Math.max(last, index);
    for (let next = sentences[last + 1]; next && next.end - start <= maxCharacters; next = sentences[last + 1])
      last += 1;
    yield { start, end: Math.max(end, sentences[last]?.end ?? end) };
  }
}

/** The matches within a span that moves forward over a text: each is added and removed once. */
class MatchWindow {
  readonly #matches: readonly TermMatch[];
  readonly #counts = new Map<MatchedPart, number>();
  #weight = 0;
  #from = 0;
  #to = 0;
  #span: Span = { start: 0, end: 0 };
  #first: TermMatch | undefined;

  constructor(matches: readonly TermMatch[]) {
    this.#matches = matches;
  }

  /** Neither start nor end of the span may be before those of the last one. */
  moveTo(span: Span): void {
    this.#span = span;
    for (let next = this.#matches[this.#to]; next && next.end <= span.end; next = this.#matches[this.#to]) {
      this.#count(next, 1);
      this.#to += 1;
    }
    this.#first = this.#matches[this.#from];
    for (; this.#first && this.#first.start < span.start; this.#first = this.#matches[this.#from]) {
      if (this.#from < this.#to) this.#count(this.#first, -1);
      this.#from += 1;
      this.#to = Math.max(this.#from, this.#to);
    }
  }

  /** Where the first match within the span starts; null without one. */
  get first(): number | null {
    return this.#to > this.#from ? (this.#first?.start ?? null) : null;
  }

  /** Different words count first, then how often they occur, then how early the first match comes in the passage. */
  get value(): number {
    const { start, end } = this.#span;
    if (this.first === null) return 0;
    return this.#weight * 1_000 + Math.min(this.#to - this.#from, 100) - (this.first - start) / (end - start);
  }

  #count({ parts }: TermMatch, change: 1 | -1): void {
    for (const part of parts) {
      const before = this.#counts.get(part) ?? 0;
      const count = before + change;
      if (count > 0) this.#counts.set(part, count);
      else this.#counts.delete(part);
      if (before === 0 || count === 0) this.#weight += change * part.weight;
    }
  }
}

function cutAtWords(text: string, span: Span, { at, maxCharacters }: { at: number; maxCharacters: number }): Span {
  if (span.end - span.start <= maxCharacters) return span;
  const lead = Math.floor(maxCharacters / 4);
  let start = Math.max(span.start, Math.min(at - lead, span.end - maxCharacters));
  let end = Math.min(span.end, start + maxCharacters);
  if (start > span.start) start = afterSpace(text, start, at);
  if (end < span.end) end = beforeSpace(text, end, at);
  return { start: onCharacter(text, start), end: onCharacter(text, end) };
}

function afterSpace(text: string, start: number, at: number): number {
  const space = text.slice(start, at).search(/\s/);
  return space === -1 ? start : start + space + 1;
}

function beforeSpace(text: string, end: number, at: number): number {
  const space = text.slice(at, end).search(/\s\S*$/);
  return space <= 0 ? end : at + space;
}

/** Moves a border out of the middle of a surrogate pair. */
function onCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
