import { MARK, numbersOfMark, UNFINISHED_MARK } from './citation-marks.ts';
import { UNFINISHED_TAG, withoutImages, withoutTags } from './harmless-text.ts';

/**
 * A citation in an answer: the number of the passage, and where its mark `[n]` starts in the answer (UTF-16 code units). `cited`:
 * the part of the passage, where it is known.
 */
export type CitationMark = { number: number; at: number; cited?: { start: number; end: number } };

export type AnswerPiece = { text: string; marks: CitationMark[] };

/** Citations of one answer. More are nothing that a person reads, and the sentence of each must be found. */
const MAX_MARKS = 100;

/** A mark, or what begins and ends code. */
const TOKEN = new RegExp(`${MARK}|\`+|\n`, 'g');
/** The end of a text that may be the beginning of a mark, of an image, of a tag, of code, or of a character. */
const UNFINISHED = new RegExp(
  `(?:${UNFINISHED_TAG.source})?(?:[ \\t]{0,8}(?:!{1,8}|!{0,8}${UNFINISHED_MARK})|[ \\t]{1,8}|\`{1,16}|[\\ud800-\\udbff])?$`,
);
const MIN_FENCE = 3;

/**
 * Reads the answer of a model piece by piece, as it is written, and finds the marks `[n]`, `[n, m]` and `[n-m]`, also in full-width
 * brackets. Marks of passages that the model was not given are left out of the text, and so are those beyond 100; brackets in code,
 * as of an array, stay as they are. Images and tags are made harmless (`harmlessText`).
 * The text can be stored: it has no NUL and no unpaired surrogate.
 */
export class CitationReader {
  readonly #passages: number;
  #pending = '';
  #length = 0;
  #last = '';
  #marks = 0;
  /** The backticks that the code began with; empty outside of code. */
  #code = '';
  #before: 'text' | 'mark' | 'brackets' = 'text';

  /** `passages`: how many there are; their numbers count from 1. */
  constructor(passages: number) {
    this.#passages = passages;
  }

  /** Takes a piece of any length, and returns what is certain: an unfinished mark waits for the next piece. */
  read(text: string): AnswerPiece {
    this.#pending += text.replaceAll('\0', '');
    const held = UNFINISHED.exec(this.#pending)?.[0] ?? '';
    const certain = this.#pending.slice(0, this.#pending.length - held.length);
    this.#pending = held;
    return this.#convert(certain);
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
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (/^[`\n]/.test(token)) {
        this.#enterOrLeaveCode(token);
        continue;
      }
      this.#add(parts, withoutImages(text.slice(start, index)));
      start = index + token.length;
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
    this.#add(parts, withoutImages(text.slice(start)));
    return { text: parts.join(''), marks };
  }

  /** Code of one or two backticks ends with as many or with the line; a fence ends with one that is no shorter. */
  #enterOrLeaveCode(token: string): void {
    const isFence = this.#code.length >= MIN_FENCE;
    if (token === '\n') {
      if (!isFence) this.#code = '';
    } else if (this.#code === '') this.#code = token;
    else if (isFence ? token.length >= this.#code.length : token === this.#code) this.#code = '';
  }

  /** The passages of a mark, as far as they count; null for brackets that are no mark. */
  #numbersOf(mark: string): number[] | null {
    const numbers = numbersOfMark(mark);
    if (numbers.length === 0 || this.#code !== '') return null;
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
