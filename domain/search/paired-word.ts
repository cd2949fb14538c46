/** The letters of nearly all words in Latin script. */
const LATIN = /^[\x20-\x7e\u00c0-\u024f]*$/;
/**
 * Scripts without spaces between words, which the word tokenizer would treat as one long word, and Hangul, in which particles and
 * endings are part of the word.
 */
const PAIRED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}ー]+/gu;
/** Chinese, Japanese and Korean have words of one character. Those of kana are particles. */
const CAN_BE_WORD = /[\p{Script=Han}\p{Script=Hangul}]/u;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

type Part = { part: string; from: number; isPaired: boolean };

/** Whether a word, or a part of it, is indexed as pairs of characters. */
export function isPairedWord(word: string): boolean {
  return word.search(PAIRED) !== -1;
}

/** Cuts a word where scripts that are indexed in pairs begin and end. */
export function partsOf(word: string): Part[] {
  if (LATIN.test(word)) return [{ part: word, from: 0, isPaired: false }];
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(PAIRED)) {
    parts.push(...wordsBetween(word, end, index), { part: run, from: index, isPaired: true });
    end = index + run.length;
  }
  return [...parts, ...wordsBetween(word, end, word.length)];
}

/** Returns the pairs of adjacent characters of a run; of a run of one character, that. A query is asked for these. */
export function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  return characters.length === 1 ? [run] : characters.slice(1).map((next, index) => `${characters[index]}${next}`);
}

/** Returns what the index has of a run, with its places: its pairs, and each character that is a word in some language. */
export function indexedPiecesOf(run: string): { piece: string; at: number }[] {
  const pieces: { piece: string; at: number }[] = [];
  let at = 0;
  let previous = '';
  for (const character of run) {
    if (previous !== '') pieces.push({ piece: previous + character, at: at - previous.length });
    if (character === run || CAN_BE_WORD.test(character)) pieces.push({ piece: character, at });
    at += character.length;
    previous = character;
  }
  return pieces;
}

function wordsBetween(word: string, from: number, to: number): Part[] {
  if (from === to) return [];
  const words = word.slice(from, to).matchAll(WORD);
  return Array.from(words, ({ 0: part, index }) => ({ part, from: from + index, isPaired: false }));
}
