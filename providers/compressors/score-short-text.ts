import type { Unit } from '#domain/compression/split-units.ts';
import { inverseFrequencies, readTerms, termsOf } from './sentence-terms.ts';

/** Up to so many sentences are compared with a question in every way; in longer texts the words alone tell enough. */
export const SHORT_TEXT_UNITS = 20;

/** In a few sentences, how rare a word is says little: this much of its weight is the same for all words. */
const EVEN_WEIGHT = 0.5;
/** Weight of a word of the question with another ending: `allergies`, `allergic`. */
const ALIKE_WEIGHT = 0.6;
const MIN_ALIKE_LETTERS = 4;
const MIN_ALIKE_SHARE = 0.6;
/** Share of the scores of the sentences before and after, which an answer continues or begins. */
const FROM_BEFORE = 0.4;
const FROM_AFTER = 0.15;
/** Share of the best score of the sentences that a pronoun may refer to, for a sentence that begins with it. */
const FROM_SUBJECT = 0.6;
const SUBJECT_REACH = 3;
const PRONOUN =
  /^(?:he|she|it|they|his|her|its|their|this|these|er|sie|es|seine?|ihre?|il|elle|ils|elles|son|sa|ses|él|ella|su|sus)\b/iu;
/** Share of the score of a heading or of the line that code is indented under, for all that belongs to it. */
const FROM_HEADING = 0.5;
/** A heading alone answers nothing. */
const HEADING_WEIGHT = 0.5;
/** What a sentence gains that says what the question asks for, in shares of the best score. */
const ANSWER_BONUS = 0.35;

const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half|free|zwei|drei|vier|fünf|zehn|deux|trois|quatre|cinq|vingt|dos|tres|cuatro|cinco)\b/iu;
const TIME =
  /\d|\b(?:noon|midnight|morning|evening|night|daily|weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|hours?|days?|weeks?|months?|years?|minutes?|uhr|montag|lundi|lunes)\b/iu;
/** A name that does not begin the sentence. */
const NAME = /[\p{L}\d,:;]\s+\p{Lu}\p{L}/u;

/** What questions ask for, and how it looks. */
const ASKED_FOR: readonly { question: RegExp; answer: RegExp }[] = [
  { question: /\bhow (?:many|much)\b|\bcosts?\b|wie ?viele?|combien|cuánt|quanto|сколько/iu, answer: NUMBER },
  { question: /\bhow (?:long|old|often)\b|\bwie lange\b/iu, answer: TIME },
  {
    question: /\bwhen\b|\bwh(?:at|ich) (?:time|day|date|year|month)\b|\bwann\b|\bquand\b|cuándo|когда/iu,
    answer: TIME,
  },
  { question: /\bwho(?:m|se)?\b|\bwer\b|\bqui\b|quién|\bкто\b/iu, answer: NAME },
  {
    question: /\bwhere\b|\bwo\b|\boù\b|dónde|\bгде\b/iu,
    answer: /\b(?:in|at|near|from|to|nach|à)\s+(?:the\s+)?\p{Lu}/u,
  },
  {
    question: /\bwhy\b|\bwarum\b|pourquoi|por qué|почему/iu,
    answer: /\b(?:because|due|since|so that|weil|parce|porque)\b/iu,
  },
];

/**
 * Returns the relevance of each sentence of a short text to a question: the words that they share, also with other endings, the
 * heading or the code that a sentence belongs to, its neighbours, and whether it has a number, time, name or place that the
 * question asks for. `asked` are the sentences that are the question itself.
 */
export function scoreShortText(
  { text, units, asked }: { text: string; units: readonly Unit[]; asked: ReadonlySet<number> },
  query: string,
): Float64Array {
  const own = scoresByWords(text, units, query);
  for (const at of asked) own[at] = 0;
  const sentences = units.map(({ from, to }) => text.slice(from, to));
  const lent = own.map((score, at) => {
    const before = FROM_BEFORE * (own[at - 1] ?? 0);
    const reach = PRONOUN.test(sentences[at] ?? '') ? own.slice(Math.max(0, at - SUBJECT_REACH), at) : [];
    const subject = FROM_SUBJECT * Math.max(0, ...reach);
    return score + Math.max(before, subject) + FROM_AFTER * (own[at + 1] ?? 0);
  });
  let heading = 0;
  const scores = lent.map((score, at) => {
    if (/^#{1,6}\s/.test(sentences[at] ?? '')) {
      heading = own[at] ?? 0;
      return HEADING_WEIGHT * (own[at] ?? 0);
    }
    const parent = parentOf(text, units, at);
    return score + FROM_HEADING * Math.max(heading, parent === null ? 0 : (own[parent] ?? 0));
  });
  const bonus = ANSWER_BONUS * Math.max(0, ...scores);
  const answers = ASKED_FOR.flatMap(({ question, answer }) => (question.test(query) ? [answer] : []));
  return scores.map((score, at) => {
    return score > 0 && answers.some((answer) => answer.test(sentences[at] ?? '')) ? score + bonus : score;
  });
}

function scoresByWords(text: string, units: readonly Unit[], query: string): Float64Array {
  const sentences = readTerms(text, units);
  const rarity = inverseFrequencies(sentences);
  const rarest = Math.max(0, ...rarity);
  const questionTerms = [...new Set(termsOf(query))];
  return Float64Array.from(units, ({ from, to }) => {
    const terms = new Set(termsOf(text.slice(from, to)));
    let score = 0;
    for (const term of questionTerms) {
      const number = sentences.numberOf(term);
      const weight = EVEN_WEIGHT + (1 - EVEN_WEIGHT) * (number === undefined ? rarest : (rarity[number] ?? 0));
      if (terms.has(term)) score += weight;
      else if ([...terms].some((other) => isAlike(term, other))) score += ALIKE_WEIGHT * weight;
    }
    return score;
  });
}

/** True for words that begin alike and differ in their ends only. */
function isAlike(one: string, other: string): boolean {
  const longer = Math.max(one.length, other.length);
  let same = 0;
  while (same < longer && one[same] === other[same]) same += 1;
  return same >= MIN_ALIKE_LETTERS && same >= MIN_ALIKE_SHARE * longer;
}

/** Returns the last unit before that is indented less, as the head of a function is; null without one. */
function parentOf(text: string, units: readonly Unit[], at: number): number | null {
  const own = indentOf(text, units[at]);
  if (own === 0) return null;
  for (let before = at - 1; before >= 0; before -= 1) if (indentOf(text, units[before]) < own) return before;
  return null;
}

function indentOf(text: string, unit: Unit | undefined): number {
  if (unit === undefined) return 0;
  const line = text.slice(text.lastIndexOf('\n', unit.from - 1) + 1, unit.from);
  return line.trim() === '' ? line.length : 0;
}
