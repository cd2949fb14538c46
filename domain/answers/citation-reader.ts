import { UNFINISHED_TAG, withoutImages, withoutTags } from './harmless-text.ts';

/**
 * A citation in an answer: the number of the passage, and where its mark `[n]` starts in the answer (UTF-16 code units). `cited`:
 * the part of the passage, where it is known.
 */
export type CitationMark = { number: number; at: number; cited?: { start: number; end: number } };

export type AnswerPiece = { text: string; marks: CitationMark[] };

/** Citations of one answer. More are nothing that a person reads, and the sentence of each must be found. */
const MAX_MARKS = 100;

/** One or several numbers in square brackets, with the spaces before them. Bounded, so that no text makes it slow. */
const MARK = /[ \t]{0,8}\[\s{0,4}\d{1,6}(?:\s{0,4}[,;]\s{0,4}\d{1,6}){0,9}\s{0,4}\]/g;
/** The end of a text that may be the beginning of a mark, of an image, of a tag, or of a character. */
const UNFINISHED = new RegExp(
  String.raw`(?:${UNFINISHED_TAG.source})?(?:[ \t]{0,8}(?:!{1,8}|!{0,8}\[[\d\s,;]{0,160})|[ \t]{1,8}|[\ud800-\udbff])?$`,
);

/**
 * Reads the answer of a model piece by piece, as it is written, and finds the marks `[n]` and `[n, m]`. Marks of passages that
 * the model was not given are left out of the text, and so are those beyond 100. Images and tags are made harmless (`harmlessText`).
 * The text can be stored: it has no NUL and no unpaired surrogate.
 */
export class CitationReader {
  readonly #passages: number;
  #pending = '';
  #length = 0;
  #last = '';
  #marks = 0;

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
    for (const { 0: mark, index } of text.matchAll(MARK)) {
      this.#add(parts, withoutImages(text.slice(start, index)));
      start = index + mark.length;
      this.#numbersOf(mark).forEach((number, at) => {
        // An exclamation mark directly before it would make an image of a mark that an address follows.
        const space = at === 0 && (/^[ \t]/.test(mark) || this.#last === '!') ? ' ' : '';
        this.#add(parts, space);
        marks.push({ number, at: this.#length });
        this.#add(parts, `[${number}]`);
      });
    }
    this.#add(parts, withoutImages(text.slice(start)));
    return { text: parts.join(''), marks };
  }

  /** The passages of a mark, each once, as far as they count. */
  #numbersOf(mark: string): number[] {
    const numbers = new Set([...mark.matchAll(/\d+/g)].map(Number));
    const known = [...numbers].filter((number) => number >= 1 && number <= this.#passages);
    const taken = known.slice(0, MAX_MARKS - this.#marks);
    this.#marks += taken.length;
    return taken;
  }

  #add(parts: string[], added: string): void {
    // Between them was a mark that was left out.
    const isJoined = (this.#last === '!' && added.startsWith('[')) || (this.#last === '<' && /^[a-z]/i.test(added));
    const text = isJoined ? ` ${added}` : added;
    parts.push(text);
    this.#length += text.length;
    this.#last = text.at(-1) ?? this.#last;
  }
}
