import type { CompressedWindow, CompressionWindow, SentenceWeights } from '#domain/compression/compressor.ts';
import { splitUnits, type Unit } from '#domain/compression/split-units.ts';
import { orderByCoverage } from './order-by-coverage.ts';
import { scoreByQuery } from './score-by-query.ts';
import { readTerms, type SentenceTerms } from './sentence-terms.ts';

type CountTokens = (text: string) => number;

/** A sentence that says less is no part of the question merely because the question has it. */
const SHORTEST_PART_OF_QUESTION = 12;
/** One that is so many times longer says something else as well. */
const MOST_AROUND_QUESTION = 3;

/**
 * The sentences of a window that matter most, as they stand there and in their order, as many as the budget has room for: those
 * with most to do with the query, else those that together cover most of the text. The question itself always stays; what is said again word for
 * word is left out. Time and memory grow with the length of the window.
 */
export function extractSentences(window: CompressionWindow, countTokens: CountTokens): CompressedWindow {
  const { text, budgetTokens, query } = window;
  const units = splitUnits(text);
  // With what closes a gap.
  const tokens = units.map(({ from, to }) => countTokens(`${text.slice(from, to)}\n\n`));
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (total <= budgetTokens) return keepAll(text, total);
  const sentences = readTerms(text, units);
  const textOf = (at: number) => text.slice(units[at]?.from, units[at]?.to);
  const isPinned = (_: Unit, at: number) => query !== null && isPartOf(textOf(at), query);
  const chosen = new Set<number>(units.flatMap((unit, at) => (isPinned(unit, at) ? [at] : [])));
  let room = budgetTokens;
  for (const at of chosen) room -= tokens[at] ?? 0;
  const said = new Set<string>();
  for (const at of inOrder(sentences, tokens, query)) {
    if (room <= 0) break;
    const cost = tokens[at] ?? 0;
    const sentence = textOf(at);
    if (chosen.has(at) || cost > room || said.has(sentence)) continue;
    chosen.add(at);
    said.add(sentence);
    room -= cost;
  }
  return assemble(text, units, { chosen, tokens: budgetTokens - room });
}

/** How much each sentence of a text has to do with a query, and its tokens. */
export function weighSentences(text: string, query: string, countTokens: CountTokens): SentenceWeights {
  const units = splitUnits(text);
  return {
    scores: scoreByQuery(readTerms(text, units), query),
    tokens: Uint32Array.from(units, ({ from, to }) => countTokens(text.slice(from, to))),
  };
}

/** First what has to do with the query, the most first; then, or without one, what covers most of the text. */
function* inOrder(sentences: SentenceTerms, costs: readonly number[], query: string | null): Generator<number> {
  if (query !== null) {
    const scores = scoreByQuery(sentences, query);
    const relevant = costs.flatMap((_, at) => ((scores[at] ?? 0) > 0 ? [at] : []));
    yield* relevant.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
  }
  yield* orderByCoverage(sentences, costs);
}

function isPartOf(sentence: string, query: string): boolean {
  const shorter = Math.min(sentence.length, query.length);
  if (shorter < SHORTEST_PART_OF_QUESTION || sentence.length > MOST_AROUND_QUESTION * query.length) return false;
  return sentence.includes(query) || query.includes(sentence);
}

function keepAll(text: string, tokens: number): CompressedWindow {
  return { text, tokens, used: 'extractive', droppedSentences: 0, droppedSpans: [], folds: 0 };
}

/** Sentences that stood together keep what was between them; a gap is closed with a space, a line end or an empty line. */
function assemble(
  text: string,
  units: readonly Unit[],
  { chosen, tokens }: { chosen: ReadonlySet<number>; tokens: number },
): CompressedWindow {
  const parts: string[] = [];
  const droppedSpans: [number, number][] = [];
  let last: number | null = null;
  let end = 0;
  for (const [at, unit] of units.entries()) {
    if (!chosen.has(at)) continue;
    const between = text.slice(end, unit.from);
    const isNext = at === (last ?? -1) + 1;
    if (isNext) parts.push(between);
    else {
      if (last !== null) parts.push(/\n\s*\n/.test(between) ? '\n\n' : between.includes('\n') ? '\n' : ' ');
      droppedSpans.push([end, unit.from]);
    }
    parts.push(text.slice(unit.from, unit.to));
    last = at;
    end = unit.to;
  }
  const rest = text.slice(end);
  if (rest.trim() === '') parts.push(rest);
  else {
    droppedSpans.push([end, text.length]);
    // The next window begins on a line of its own, as it did.
    if (rest.endsWith('\n') && parts.length > 0) parts.push('\n');
  }
  const droppedSentences = units.length - chosen.size;
  return { text: parts.join(''), tokens, used: 'extractive', droppedSentences, droppedSpans, folds: 0 };
}
