/**
 * Mark of every term: a letter that no current alphabet uses, so that Weaviate's word tokenizer keeps it and no word of a text
 * equals a term. One query text then matches the terms of each of the two properties. (The same terms in both properties were
 * measured and are worse: a stem that is also a word counts twice.) Stems of languages other than English have the code of their
 * language between two marks: equal stems of different languages are different words.
 */
export const MARK = 'ƾ';

/** Latin letters, kana, Han and Hangul, for speed. */
const WITHOUT_MARKS = /^[\x20-\x7e\u00c0-\u024f\u3041-\u3096\u30a1-\u30fe\u3400-\u9fff\uac00-\ud7a3]*$/;
const COMBINING = /\p{M}/gu;
/** The letters of CJK Extension B, one for each combining mark by its code point. Scripts with such marks have none of them. */
const [FIRST_LETTER, LETTERS] = [0x20000, 0xa6d0];
const LETTER = /[\u{20000}-\u{2a6cf}]/gu;
const HAN = /\p{Script=Han}/u;
/** A letter that can have such a mark, or a pair of marks, which a script has that is indexed in pairs. */
const TAKES_MARKS =
  /(?![\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}]|^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}$/u;

/**
 * Returns the term of a spelling in the index. The tokenizer keeps letters and numbers and cuts words at everything else, also at the
 * combining marks with which the scripts of India and South East Asia write vowels: a letter stands for each of them.
 */
export function indexTerm(spelling: string, language?: string): string {
  const letters = WITHOUT_MARKS.test(spelling) ? spelling : spelling.replace(COMBINING, letterOf);
  return MARK + (language === undefined ? letters : language + MARK + letters);
}

/**
 * Returns a term as people read it: without marks and language, spelled as the word. A letter of CJK Extension B is itself where other
 * letters do not say that it stands for a mark.
 */
export function readableTerm(term: string): string {
  const spelling = term.split(MARK).findLast((part) => part !== '') ?? term;
  const withMarks = spelling.replace(LETTER, (letter) => {
    const mark = String.fromCodePoint((letter.codePointAt(0) ?? 0) - FIRST_LETTER);
    return /^\p{M}$/u.test(mark) ? mark : letter;
  });
  return TAKES_MARKS.test(withMarks) && !HAN.test(withMarks) ? withMarks : spelling;
}

function letterOf(mark: string): string {
  return String.fromCodePoint(FIRST_LETTER + ((mark.codePointAt(0) ?? 0) % LETTERS));
}
