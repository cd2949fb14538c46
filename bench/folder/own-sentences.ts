/** A document as it should read. */
export type Document = { path: string; text: string };

/** Words in a question; what is shorter is found by chance, and nobody asks longer ones. */
const LEAST_WORDS = 4;
const MOST_WORDS = 16;
/** Of a document, so that one odd line is not its judge. */
const SENTENCES = 3;

/**
 * Up to three sentences or rows of each document that stand in no other one: its longest, cut to 16 words. A document
 * that says nothing of its own gives its longest line, which others say too.
 */
export function ownSentences(documents: readonly Document[]): Map<string, string[]> {
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
      return [path, own.length > 0 ? longest(own, SENTENCES) : longest(linesOf(text, /\n/u).map(asQuestion), 1)];
    }),
  );
}

/** Sentences; where cells are too short for any, rows of tables. */
function questionsOf(text: string): Set<string> {
  const isLong = (words: readonly string[]) => words.length >= LEAST_WORDS || words.join('').length >= LEAST_WORDS * 5;
  const sentences = linesOf(text, /[\n|。]|[.!?:;](?=\s)/u).filter(isLong);
  return new Set((sentences.length > 0 ? sentences : linesOf(text, /\n/u).filter(isLong)).map(asQuestion));
}

const asQuestion = (words: readonly string[]) => words.slice(0, MOST_WORDS).join(' ');

/** The words of each part of a text; comments, targets of links and Markdown's own signs are left out. */
function linesOf(text: string, separator: RegExp): string[][] {
  return text
    .replace(/<!--.*?-->/gs, '\n')
    .replace(/\]\([^)]*\)/g, '] ')
    .split(separator)
    .map((line) => line.match(/[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu) ?? [])
    .filter((words) => words.length > 0);
}
