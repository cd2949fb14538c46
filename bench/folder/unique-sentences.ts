/** A document and its expected text. */
export type Document = { path: string; text: string };

/** Words per query: shorter ones match by chance, and longer ones are unrealistic. */
const MIN_WORDS = 4;
const MAX_WORDS = 16;
/** Sentences per document, so that the result does not depend on one odd line. */
const MAX_SENTENCES = 3;

/**
 * Returns up to three sentences or table rows of each document that occur in no other document: the longest ones, cut to 16
 * words. A document without unique sentences gives its longest line, which other documents also contain.
 */
export function findUniqueSentences(documents: readonly Document[]): Map<string, string[]> {
  const candidates = new Map(documents.map(({ path, text }) => [path, questionsOf(text)]));
  const holders = new Map<string, number>();
  for (const questions of candidates.values()) {
    for (const question of questions) holders.set(question, (holders.get(question) ?? 0) + 1);
  }
  const longest = (questions: readonly string[], count: number) =>
    questions.toSorted((a, b) => b.length - a.length).slice(0, count);
  return new Map(
    documents.map(({ path, text }) => {
      const own = [...(candidates.get(path) ?? [])].filter((question) => holders.get(question) === 1);
      return [path, own.length > 0 ? longest(own, MAX_SENTENCES) : longest(linesOf(text, /\n/u).map(asQuestion), 1)];
    }),
  );
}

/** Returns the sentences of a text; the rows of tables if the cells are too short for sentences. */
function questionsOf(text: string): Set<string> {
  const isLong = (words: readonly string[]) => words.length >= MIN_WORDS || words.join('').length >= MIN_WORDS * 5;
  const sentences = linesOf(text, /[\n|。]|[.!?:;](?=\s)/u).filter(isLong);
  return new Set((sentences.length > 0 ? sentences : linesOf(text, /\n/u).filter(isLong)).map(asQuestion));
}

const asQuestion = (words: readonly string[]) => words.slice(0, MAX_WORDS).join(' ');

/** Returns the words of each part of a text, without comments, link targets and Markdown markup. */
function linesOf(text: string, separator: RegExp): string[][] {
  return text
    .replace(/<!--.*?-->/gs, '\n')
    .replace(/\]\([^)]*\)/g, '] ')
    .split(separator)
    .map((line) => line.match(/[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu) ?? [])
    .filter((words) => words.length > 0);
}
