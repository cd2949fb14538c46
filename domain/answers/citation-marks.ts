/** Three digits at most: a longer number is a year or a part of a text. */
const NUMBER = String.raw`[\d\uff10-\uff19]{1,3}`;
const SPACE = String.raw`\s{0,4}`;
const ITEM = `${NUMBER}(?:${SPACE}[-–—~～]${SPACE}${NUMBER})?`;
const LIST = `${SPACE}${ITEM}(?:${SPACE}[,;，；、]${SPACE}${ITEM}){0,49}${SPACE}`;

/**
 * The source of an expression for one or several numbers, or ranges of them, in square brackets, with the spaces before them.
 * Bounded, so that no text makes it slow.
 */
export const MARK = String.raw`[ \t]{0,8}(?:\[${LIST}\]|【${LIST}】|［${LIST}］)`;
/** What may be the beginning of a mark at the end of a text, without the spaces before it. */
export const UNFINISHED_MARK = String.raw`[\[【［][\d\uff10-\uff19\s,;，；、–—~～-]{0,1300}`;

const ITEMS = new RegExp(`(${NUMBER})(?:${SPACE}[-–—~～]${SPACE}(${NUMBER}))?`, 'g');
const CODE = '```[^]*?(?:```|$)|`[^`\\n]*`';
const MARK_OR_CODE = new RegExp(`${CODE}|${MARK}`, 'g');

/** Returns the numbers of a mark, each once; empty for brackets that cite nothing, such as `[0, 1]` and `[3-1]`. */
export function numbersOfMark(mark: string): number[] {
  const numbers = new Set<number>();
  for (const [, first = '', last = first] of mark.matchAll(ITEMS)) {
    const [from, to] = [Number(first.normalize('NFKC')), Number(last.normalize('NFKC'))];
    if (from === 0 || to < from) return [];
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return [...numbers];
}

/** Removes the marks of an answer: in another one, their numbers would mean other passages. */
export function withoutCitationMarks(text: string): string {
  return text.replaceAll(MARK_OR_CODE, (part) =>
    part.startsWith('`') || numbersOfMark(part).length === 0 ? part : '',
  );
}
