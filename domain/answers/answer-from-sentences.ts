import { createMatcher, type MatchedPart, type QueryMatcher } from '#domain/search/find-matches.ts';
import { WORD } from '#domain/search/text-terms.ts';
import type { AnswerPiece, CitationMark } from './citation-reader.ts';
import { harmlessText } from './harmless-text.ts';
import { matchedSentences } from './matched-sentences.ts';
import type { Passage } from './passages.ts';
import { isMarkdownHeading, statementWeight } from './statement-weight.ts';
import { readTableRow } from './table-row.ts';

const MAX_SENTENCES = 3;
/** Longer sentences, such as tables, are cut. */
const MAX_CHARACTERS = 600;
/** Sentences with less than this part of the best score add little. */
const WORTH_SAYING = 0.5;
/** What the place of its passage adds to the score of a sentence: less than one rare word. */
const PLACE_WEIGHT = 0.3;

/** `matched`: what it has of the words of the question; `cited`: its place in the passage; `weight`: see `statementWeight`. */
type Candidate = {
  number: number;
  text: string;
  matched: ReadonlySet<MatchedPart>;
  cited: { start: number; end: number };
  isStatement: boolean;
  weight: number;
};

/**
 * An answer without a model: at most three sentences of the passages, verbatim but for rows of tables, which are read out with the
 * titles of their columns, the best first, each followed by the number of its passage. Sentences are weighed by the words of the
 * question that they contain, rare words more than frequent ones, and by the place of their passage. Questions, headings and titles
 * of columns answer nothing, unless there is nothing else. If no sentence contains any word, the answer is the first one of the best
 * passage. The marks are those of this answer only: brackets in the text of a document cite nothing.
 * `contexts`: by the id of the chunk, what is indexed before its text.
 */
export function answerFromSentences(
  query: string,
  passages: readonly Passage[],
  contexts: ReadonlyMap<string, string> = new Map(),
): AnswerPiece {
  const matcher = createMatcher(query);
  const sentences = passages.flatMap((passage) => sentencesOf(passage, matcher, contexts.get(passage.chunk_id)));
  // Where a passage is nothing but a question or the head of a table, that is all there is to say.
  const statements = sentences.filter(({ isStatement }) => isStatement);
  const candidates = statements.length === 0 ? sentences : statements;
  const weights = weighWords(candidates);
  const scored = candidates
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate, weights) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0];
  if (best === undefined) return cite(candidates.slice(0, 1));
  const selected: Candidate[] = [];
  for (const candidate of scored) {
    if (candidate.score < best.score * WORTH_SAYING || selected.length === MAX_SENTENCES) break;
    if (selected.every(({ text }) => !isRepeated(candidate.text, text))) selected.push(candidate);
  }
  return cite(selected);
}

function sentencesOf({ number, content }: Passage, matcher: QueryMatcher, context = ''): Candidate[] {
  return matchedSentences(content, matcher, context).map(({ start, end, matched }) => {
    const part = content.slice(start, Math.min(end, start + MAX_CHARACTERS));
    // Half of a character at the cut is left out.
    const whole = part.isWellFormed() ? part : part.slice(0, -1);
    const cited = { start, end: start + whole.length };
    const said = readTableRow(content, cited) ?? whole;
    const isStatement = !isMarkdownHeading(content, cited) && !/[?？؟]$/.test(said) && /[\p{L}\p{N}]/u.test(said);
    // The marks of a heading would make one of the whole answer.
    const text = (said || whole).replace(/^#{1,6}\s+/, '').replaceAll(/\s+/g, ' ');
    return { number, matched, text, cited, isStatement, weight: statementWeight(content, cited) };
  });
}

/** Inverse document frequencies among the sentences. */
function weighWords(candidates: readonly Candidate[]): Map<MatchedPart, number> {
  const frequencies = new Map<MatchedPart, number>();
  for (const { matched } of candidates)
    for (const part of matched) frequencies.set(part, (frequencies.get(part) ?? 0) + 1);
  return new Map([...frequencies].map(([part, count]) => [part, Math.log(1 + candidates.length / (1 + count))]));
}

function scoreOf({ number, matched, weight }: Candidate, weights: ReadonlyMap<MatchedPart, number>): number {
  let score = 0;
  for (const part of matched) score += weight * part.weight * (weights.get(part) ?? 0);
  return score === 0 ? 0 : score + PLACE_WEIGHT / number;
}

/** True when nearly all words of a sentence are in another one. */
function isRepeated(text: string, other: string): boolean {
  const words = new Set(text.toLowerCase().match(WORD) ?? []);
  const others = new Set(other.toLowerCase().match(WORD) ?? []);
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared > 0.8 * words.size;
}

/** A mark before the full stop would be wrong for verbatim sentences: it follows them. What looks like one in the text is removed. */
function cite(sentences: readonly Candidate[]): AnswerPiece {
  const marks: CitationMark[] = [];
  let answer = '';
  for (const { number, text, cited } of sentences) {
    const mark = `[${number}]`;
    const space = answer === '' ? '' : ' ';
    answer += space + harmlessText(`${text.replaceAll(/\s*\[\d+\]/g, '')} ${mark}`);
    marks.push({ number, at: answer.length - mark.length, cited });
  }
  return { text: answer, marks };
}
