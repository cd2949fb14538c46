import { isUnfinishedCode, numbersOfMark, TOKEN, UNFINISHED_MARK } from './citation-marks.ts';
import { FencedCode } from './fenced-code.ts';
import { UNFINISHED_TAG, withoutImages, withoutTags } from './harmless-text.ts';

/**
 * A citation in an answer: the number of the passage, and where its mark `[n]` starts in the answer (UTF-16 code units). `cited`:
 * the part of the passage, where it is known.
 */
export type CitationMark = { number: number; at: number; cited?: { start: number; end: number } };

export type AnswerPiece = { text: string; marks: CitationMark[] };

/** Citations of one answer. More are nothing that a person reads, and the sentence of each must be found. */
const MAX_MARKS = 100;

/** The end of a text that may be the beginning of a tag. */
const OPEN_TAG = new RegExp(`${UNFINISHED_TAG.source}$`);
/**
 * The end of a text that may be the beginning of a mark, of an image, of a fence, or of a character. Of spaces and exclamation marks,
 * only as many as a mark or an image takes.
 */
const OPEN_MARK = new RegExp(
  `(?:(?:!{1,8}|[ \\t]{1,8})?${UNFINISHED_MARK}|!{1,8}|[ \\t]{1,8}|~{1,2}|[\\ud800-\\udbff])$`,
);
/** No such end is longer, so that no more of a text is searched for one. */
const MAX_OPEN_TAG = 65;
const MAX_OPEN_MARK = 1_309;

/**
 * Reads the answer of a model piece by piece, as it is written, and finds the marks `[n]`, `[n, m]` and `[n-m]`, also in full-width
 * brackets. Marks of passages that the model was not given are left out of the text, and so are those beyond 100; brackets in
 * fenced code, and in inline code that ends in its line, stay as they are. Images and tags are made harmless (`harmlessText`).
 * The text can be stored: it has no NUL and no unpaired surrogate.
 */
export class CitationReader {
  readonly #passages: number;
  #pending = '';
  #length = 0;
  #last = '';
  #marks = 0;
  readonly #code = new FencedCode();
  #before: 'text' | 'mark' | 'brackets' = 'text';

  /** `passages`: how many there are; their numbers count from 1. */
  constructor(passages: number) {
    this.#passages = passages;
  }

  /** Takes a piece of any length, and returns what is certain: an unfinished mark or inline code waits for the next piece. */
  read(text: string): AnswerPiece {
    // Here already, so that the length of inline code is that of the answer.
    this.#pending = withoutTags(this.#pending + text.replaceAll('\0', ''));
    const certain = this.#pending.slice(0, this.#findCertainEnd());
    this.#pending = this.#pending.slice(certain.length);
    return this.#convert(certain);
  }

  #findCertainEnd(): number {
    const text = this.#pending;
    const certain = Math.min(startOfEnd(text, OPEN_TAG, MAX_OPEN_TAG), startOfEnd(text, OPEN_MARK, MAX_OPEN_MARK));
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (index >= certain) break;
      const end = index + token.length;
      if (end > certain || isUnfinishedCode(token, text.slice(end))) return index;
    }
    return certain;
  }

  /** Returns what waited for its end. */
  end(): AnswerPiece {
    const rest = this.#pending.trimEnd();
    this.#pending = '';
    return this.#convert(rest);
  }

  #convert(raw: string): AnswerPiece {
    const text = withoutTags(raw.toWellFormed());
    const marks: CitationMark[] = [];
    const parts: string[] = [];
    let start = 0;
    let passed = 0;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      this.#code.pass(text.slice(passed, index));
      this.#code.pass(token);
      passed = index + token.length;
      if (/^[`~]/.test(token)) continue;
      this.#add(parts, withoutImages(text.slice(start, index)));
      start = passed;
      const numbers = this.#numbersOf(token);
      if (numbers === null) this.#add(parts, token);
      numbers?.forEach((number, at) => {
        // An exclamation mark directly before it would make an image of a mark that an address follows.
        const space = at === 0 && (/^[ \t]/.test(token) || this.#last === '!') ? ' ' : '';
        this.#add(parts, space);
        marks.push({ number, at: this.#length });
        this.#add(parts, `[${number}]`);
      });
      this.#before = numbers === null ? 'brackets' : 'mark';
    }
    this.#code.pass(text.slice(passed));
    this.#add(parts, withoutImages(text.slice(start)));
    return { text: parts.join(''), marks };
  }

  /** The passages of a mark, as far as they count; null for brackets that are no mark. */
  #numbersOf(mark: string): number[] | null {
    const numbers = numbersOfMark(mark);
    if (numbers.length === 0 || this.#code.isInside) return null;
    const known = numbers.filter((number) => number <= this.#passages);
    // A number that is no passage's may be that of an element: `items[7]`.
    const isAfterName = this.#before === 'brackets' || (this.#before === 'text' && /[\w$]/.test(this.#last));
    const isElement = isAfterName && !/^[ \t]/.test(mark);
    if (known.length === 0 && isElement) return null;
    const taken = known.slice(0, MAX_MARKS - this.#marks);
    this.#marks += taken.length;
    return taken;
  }

  #add(parts: string[], added: string): void {
    // Between them was a mark that was left out.
    const isJoined = (this.#last === '!' && added.startsWith('[')) || (this.#last === '<' && /^[a-z]/i.test(added));
    const text = isJoined ? ` ${added}` : added;
    if (text !== '') this.#before = 'text';
    parts.push(text);
    this.#length += text.length;
    this.#last = text.at(-1) ?? this.#last;
  }
}

/** Returns where the match of `pattern` at the end of a text starts, which has `reach` characters at most; its end without one. */
function startOfEnd(text: string, pattern: RegExp, reach: number): number {
  const at = text.slice(-reach).search(pattern);
  return at < 0 ? text.length : Math.max(0, text.length - reach) + at;
}
