import type { CompressedWindow, CompressionWindow, SentenceWeights } from '#domain/compression/compressor.ts';
import { splitUnits, type Unit } from '#domain/compression/split-units.ts';
import { orderByCoverage } from './order-by-coverage.ts';
import { scoreByQuery } from './score-by-query.ts';
import { scoreShortText, SHORT_TEXT_UNITS } from './score-short-text.ts';
import { readTerms, type SentenceTerms } from './sentence-terms.ts';

type CountTokens = (text: string) => number;

/** A shorter sentence that occurs in the query is not taken for a part of it. */
const MIN_QUESTION_PART_CHARACTERS = 12;
/** A sentence that contains the query and is more than this many times longer is not just the query. */
const MAX_QUESTION_SENTENCE_FACTOR = 3;

/** A window split into sentences, and what each costs with the separator that may follow. */
type Split = { window: CompressionWindow; units: readonly Unit[]; costs: readonly number[]; sentences: SentenceTerms };

/** The sentences that are kept. `tryAdd` adds one if there is room for it. */
type Choice = { chosen: Set<number>; tryAdd: (at: number) => boolean; isFull: () => boolean };

/**
 * Keeps the most important sentences of a window within the token budget, unchanged and in order: those most relevant to the
 * query, then, or without a query, those that together cover most of the text. The query itself is kept if there is room for it
 * beside the most relevant sentence; exact repetitions are left out. Time and memory grow with the length of the window.
 */
export function extractSentences(window: CompressionWindow, countTokens: CountTokens): CompressedWindow {
  const { text, budgetTokens } = window;
  const units = splitUnits(text);
  const costs = units.map(({ from, to }) => countTokens(`${text.slice(from, to)}\n\n`));
  const total = costs.reduce((sum, count) => sum + count, 0);
  if (total <= budgetTokens) return keepAll(text, total);
  const split = { window, units, costs, sentences: readTerms(text, units) };
  const isShort = units.length <= SHORT_TEXT_UNITS;
  const choose = (first: readonly number[]) =>
    isShort ? chooseExactly(split, first, countTokens) : chooseByCosts(split, first);
  const chosen = fill(split, choose);
  const result = assemble(text, units, chosen);
  const tokens = isShort ? countTokens(result.text) : [...chosen].reduce((sum, at) => sum + (costs[at] ?? 0), 0);
  return { ...result, tokens };
}

/** Adds up what the sentences cost. */
function chooseByCosts({ window, costs }: Split, first: readonly number[]): Choice {
  const chosen = new Set(first);
  let room = first.reduce((left, at) => left - (costs[at] ?? 0), window.budgetTokens);
  return {
    chosen,
    isFull: () => room <= 0,
    tryAdd: (at) => {
      const cost = costs[at] ?? 0;
      if (cost > room) return false;
      room -= cost;
      chosen.add(at);
      return true;
    },
  };
}

/** Counts what would be written: in a short text, separators that are not would cost whole sentences. */
function chooseExactly({ window, units }: Split, first: readonly number[], countTokens: CountTokens): Choice {
  const chosen = new Set(first);
  return {
    chosen,
    isFull: () => false,
    tryAdd: (at) => {
      chosen.add(at);
      const isWithin = countTokens(assemble(window.text, units, chosen).text) <= window.budgetTokens;
      if (!isWithin) chosen.delete(at);
      return isWithin;
    },
  };
}

/** Chooses sentences until the budget is used up. */
function fill(split: Split, choose: (first: readonly number[]) => Choice): ReadonlySet<number> {
  const { window, units, costs, sentences } = split;
  const { text, query } = window;
  const textOf = (at: number) => text.slice(units[at]?.from, units[at]?.to);
  const pinned = new Set(units.flatMap((_, at) => (query !== null && isPartOf(textOf(at), query) ? [at] : [])));
  const relevant = query === null ? [] : byRelevance(split, { query, pinned });
  // The answer comes before the question, which whoever asks knows.
  const best = relevant.find((at) => choose([]).tryAdd(at));
  const hasRoom = best !== undefined && choose([...pinned]).tryAdd(best);
  const choice = choose(hasRoom ? [...pinned] : []);
  const said = new Set<string>();
  const add = (at: number) => {
    const sentence = textOf(at);
    if (!choice.chosen.has(at) && !said.has(sentence) && choice.tryAdd(at)) said.add(sentence);
  };
  // Nothing is relevant beside the question: as much of it as there is room for.
  if (best === undefined) for (const at of pinned) add(at);
  for (const at of relevant) add(at);
  for (const at of orderByCoverage(sentences, costs)) {
    if (choice.isFull()) break;
    add(at);
  }
  return choice.chosen;
}

/** Returns the sentences that are relevant to a query, most relevant first. */
function byRelevance(
  { window, units, sentences }: Split,
  { query, pinned }: { query: string; pinned: ReadonlySet<number> },
): number[] {
  const scores =
    units.length <= SHORT_TEXT_UNITS
      ? scoreShortText({ text: window.text, units, asked: pinned }, query)
      : scoreByQuery(sentences, query);
  const relevant = units.flatMap((_, at) => ((scores[at] ?? 0) > 0 && !pinned.has(at) ? [at] : []));
  return relevant.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
}

/** Returns the relevance of each sentence of a text to a query, and its tokens. */
export function weighSentences(text: string, query: string, countTokens: CountTokens): SentenceWeights {
  const units = splitUnits(text);
  return {
    scores: scoreByQuery(readTerms(text, units), query),
    tokens: Uint32Array.from(units, ({ from, to }) => countTokens(text.slice(from, to))),
  };
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
function assemble(text: string, units: readonly Unit[], chosen: ReadonlySet<number>): Omit<CompressedWindow, 'tokens'> {
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
  return { text: parts.join(''), used: 'extractive', droppedSentences, droppedSpans, folds: 0 };
}
