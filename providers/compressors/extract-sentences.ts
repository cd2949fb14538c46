import type { CompressedWindow, CompressionWindow, SentenceWeights } from '#domain/compression/compressor.ts';
import { splitUnits, type Unit } from '#domain/compression/split-units.ts';
import { orderByCoverage } from './order-by-coverage.ts';
import { scoreByQuery } from './score-by-query.ts';
import { readTerms, type SentenceTerms } from './sentence-terms.ts';

type CountTokens = (text: string) => number;

/** A shorter sentence that occurs in the query is not taken for a part of it. */
const MIN_QUESTION_PART_CHARACTERS = 12;
/** A sentence that contains the query and is more than this many times longer is not just the query. */
const MAX_QUESTION_SENTENCE_FACTOR = 3;

/**
 * Keeps the most important sentences of a window within the token budget, unchanged and in order: those most relevant to the
 * query, then, or without a query, those that together cover most of the text. The query itself is always kept; exact repetitions
 * are left out. Time and memory grow with the length of the window.
 */
export function extractSentences(window: CompressionWindow, countTokens: CountTokens): CompressedWindow {
  const { text, budgetTokens, query } = window;
  const units = splitUnits(text);
  // Counted with the separator that may follow.
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

/** Returns the relevance of each sentence of a text to a query, and its tokens. */
export function weighSentences(text: string, query: string, countTokens: CountTokens): SentenceWeights {
  const units = splitUnits(text);
  return {
    scores: scoreByQuery(readTerms(text, units), query),
    tokens: Uint32Array.from(units, ({ from, to }) => countTokens(text.slice(from, to))),
  };
}

/** Yields sentences by relevance to the query; then, or without a query, by coverage of the text. */
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
  if (shorter < MIN_QUESTION_PART_CHARACTERS || sentence.length > MAX_QUESTION_SENTENCE_FACTOR * query.length)
    return false;
  return sentence.includes(query) || query.includes(sentence);
}

function keepAll(text: string, tokens: number): CompressedWindow {
  return { text, tokens, used: 'extractive', droppedSentences: 0, droppedSpans: [], folds: 0 };
}

/** Joins the chosen sentences. Neighbours keep what was between them; a gap becomes a space, a line break or an empty line. */
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
    // The next window starts on a new line, as it did in the text.
    if (rest.endsWith('\n') && parts.length > 0) parts.push('\n');
  }
  const droppedSentences = units.length - chosen.size;
  return { text: parts.join(''), tokens, used: 'extractive', droppedSentences, droppedSpans, folds: 0 };
}
