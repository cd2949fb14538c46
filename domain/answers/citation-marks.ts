import { FencedCode, INLINE_CODE, MAX_INLINE_CODE } from './fenced-code.ts';

/** Three digits at most: a longer number is a year or a part of a text. */
const NUMBER = String.raw`[\d\uff10-\uff19]{1,3}`;
const SPACE = String.raw`\s{0,4}`;
const ITEM = `${NUMBER}(?:${SPACE}[-–—~～]${SPACE}${NUMBER})?`;
const LIST = `${SPACE}${ITEM}(?:${SPACE}[,;，；、]${SPACE}${ITEM}){0,49}${SPACE}`;

/**
 * The source of an expression for one or several numbers, or ranges of them, in square brackets, with the spaces before them.
 * Bounded, so that no text makes it slow.
 */
const MARK = String.raw`[ \t]{0,8}(?:\[${LIST}\]|【${LIST}】|［${LIST}］)`;
/** What may be the beginning of a mark at the end of a text, without the spaces before it. */
export const UNFINISHED_MARK = String.raw`[\[【［][\d\uff10-\uff19\s,;，；、–—~～-]{0,1300}`;

const ITEMS = new RegExp(`(${NUMBER})(?:${SPACE}[-–—~～]${SPACE}(${NUMBER}))?`, 'g');
/** A mark, inline code within a line, or a run that may be a fence. */
export const TOKEN = new RegExp(`${MARK}|${INLINE_CODE}|\`+|~{3,}`, 'g');

/** Whether a token may end otherwise when the text goes on: code, a fence, or backticks that may begin inline code. */
export function isUnfinishedCode(token: string, rest: string): boolean {
  if (!/^[`~]/.test(token)) return false;
  const isRun = /^`+$/.test(token);
  return rest === '' || (isRun && rest.length <= MAX_INLINE_CODE + token.length && !rest.includes('\n'));
}

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

/** Removes the marks of an answer: in another one, their numbers would mean other passages. Code keeps its brackets. */
export function withoutCitationMarks(text: string): string {
  const code = new FencedCode();
  let kept = '';
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const before = text.slice(start, index);
    code.pass(before);
    code.pass(token);
    const isMark = !/^[`~]/.test(token) && !code.isInside && numbersOfMark(token).length > 0;
    kept += isMark ? before : before + token;
    start = index + token.length;
  }
  return kept + text.slice(start);
}
