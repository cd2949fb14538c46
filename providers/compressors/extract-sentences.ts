import type { CompressedWindow, CompressionWindow, SentenceWeights } from '#domain/compression/compressor.ts';
import { splitUnits, type Unit } from '#domain/compression/split-units.ts';
import { countTokensInParts } from './count-tokens-in-parts.ts';
import { cutToBudget } from './cut-to-budget.ts';
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
 * beside the most relevant sentence; exact repetitions are left out. Where no sentence fits, the best one is cut off, so that
 * something is left of every text. Time and memory grow with the length of the window.
 */
export function extractSentences(window: CompressionWindow, countTokens: CountTokens): CompressedWindow {
  const { text, budgetTokens } = window;
  const tokens = countTokensInParts(text, countTokens);
  if (tokens <= budgetTokens) return keepAll(text, tokens);
  const units = splitUnits(text);
  const costs = units.map(({ from, to }) => countTokens(`${text.slice(from, to)}\n\n`));
  const split = { window, units, costs, sentences: readTerms(text, units) };
  const { chosen, best } = choose(split, countTokens);
  const isCut = chosen.size === 0 && best !== null && budgetTokens >= 1;
  const result = isCut ? assembleCut(split, best, countTokens) : assemble(text, units, chosen);
  return { ...result, tokens: countTokensInParts(result.text, countTokens) };
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

/** Chooses sentences until the budget is used up. `best`: the sentence to keep a part of if none fits. */
function choose(split: Split, countTokens: CountTokens): { chosen: ReadonlySet<number>; best: number | null } {
  const { window, units, costs, sentences } = split;
  const isShort = units.length <= SHORT_TEXT_UNITS;
  const begin = (first: readonly number[]) =>
    isShort ? chooseExactly(split, first, countTokens) : chooseByCosts(split, first);
  const textOf = (at: number) => window.text.slice(units[at]?.from, units[at]?.to);
  const asked = new Set(units.flatMap((_, at) => (isPartOf(textOf(at), window.query) ? [at] : [])));
  // A question that is asked several times is kept once, where it is asked last.
  const pinned = [...new Map([...asked].map((at) => [textOf(at), at])).values()];
  const relevant = byRelevance(split, asked);
  // The answer comes before the question, which whoever asks knows.
  const answer = relevant.find((at) => begin([]).tryAdd(at));
  const hasRoom = answer !== undefined && begin(pinned).tryAdd(answer);
  const choice = begin(hasRoom ? pinned : []);
  const said = new Set(hasRoom ? pinned.map(textOf) : []);
  const add = (at: number) => {
    const sentence = textOf(at);
    if (!choice.chosen.has(at) && !said.has(sentence) && choice.tryAdd(at)) said.add(sentence);
  };
  // Nothing is relevant beside the question: as much of it as there is room for.
  if (answer === undefined) for (const at of pinned) add(at);
  for (const at of relevant) add(at);
  let best = relevant[0] ?? null;
  for (const at of orderByCoverage(sentences, costs)) {
    if (choice.isFull()) break;
    best ??= at;
    add(at);
  }
  return { chosen: choice.chosen, best };
}

/** Returns the sentences that are relevant to a query, most relevant first. */
function byRelevance({ window, units, sentences }: Split, asked: ReadonlySet<number>): number[] {
  const { text, query } = window;
  if (query === null) return [];
  const scores =
    units.length <= SHORT_TEXT_UNITS ? scoreShortText({ text, units, asked }, query) : scoreByQuery(sentences, query);
  const relevant = units.flatMap((_, at) => ((scores[at] ?? 0) > 0 && !asked.has(at) ? [at] : []));
  return relevant.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
}

/** Returns the sentences of a text that are relevant to a query, and their tokens. */
export function weighSentences(text: string, query: string, countTokens: CountTokens): SentenceWeights {
  const units = splitUnits(text);
  const scores = scoreByQuery(readTerms(text, units), query);
  const relevant = [...units.keys()].filter((at) => (scores[at] ?? 0) > 0);
  relevant.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  let sum = 0;
  const tokens = Uint32Array.from(relevant, (at) => {
    sum += countTokens(text.slice(units[at]?.from, units[at]?.to));
    return sum;
  });
  return { scores: Float64Array.from(relevant, (at) => scores[at] ?? 0), tokens };
}

function isPartOf(sentence: string, query: string | null): boolean {
  if (query === null) return false;
  const shorter = Math.min(sentence.length, query.length);
  if (shorter < MIN_QUESTION_PART_CHARACTERS || sentence.length > MAX_QUESTION_SENTENCE_FACTOR * query.length)
    return false;
  return sentence.includes(query) || query.includes(sentence);
}

function keepAll(text: string, tokens: number): CompressedWindow {
  return { text, tokens, used: 'extractive', droppedSentences: 0, droppedSpans: [], folds: 0 };
}

/** Keeps the beginning of one sentence; none is kept whole. */
function assembleCut({ window, units }: Split, at: number, countTokens: CountTokens): Omit<CompressedWindow, 'tokens'> {
  const { text, budgetTokens } = window;
  const { from, to } = units[at] ?? { from: 0, to: 0 };
  // The next window starts on a new line, as it did in the text.
  const ending = text.endsWith('\n') ? '\n' : '';
  const cut = cutToBudget(text.slice(from, to), (part) => countTokens(part + ending) <= budgetTokens);
  const gaps: [number, number][] = [
    [0, from],
    [from + cut.length, text.length],
  ];
  const droppedSpans = gaps.filter(([start, end]) => start < end);
  return { text: cut + ending, used: 'extractive', droppedSentences: units.length, droppedSpans, folds: 0 };
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
