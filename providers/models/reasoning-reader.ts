import { FencedCode } from '#domain/answers/fenced-code.ts';

const OPENING = '<think>';
const CLOSING = '</think>';
/** A closing tag in a line of its own, as models write it whose template begins the answer with the opening tag. */
const LONE_CLOSING = /\n[ \t]{0,8}<\/think>[ \t]{0,8}(?=\n|$)/g;
const MAX_LINE = 8 + CLOSING.length + 8;

/** `restarts`: what was returned before was reasoning, and the answer begins with this text. */
export type AnswerText = { text: string; restarts: boolean };

/**
 * Leaves the reasoning out of what a model writes, where its server has no parser for it: `<think>…</think>` at the beginning, also
 * when it never ends, and all before a line that has nothing but `</think>`, unless the answer quotes it: in a fenced block, or after an
 * opening tag. Elsewhere, the tags are text like any other.
 */
export class ReasoningReader {
  #state: 'beginning' | 'reasoning' | 'answer' = 'beginning';
  #pending = '';
  #quoting = new QuotingText();

  /** Takes a piece of any length; what may be a tag waits for the next one. */
  read(piece: string): AnswerText {
    this.#pending += piece;
    return this.#readPending(false);
  }

  /** Returns what waited for its end. */
  end(): AnswerText {
    return this.#readPending(true);
  }

  #readPending(isEnd: boolean): AnswerText {
    for (let restarts = false; ; restarts = true) {
      while (this.#skip(isEnd));
      if (this.#state !== 'answer') return { text: '', restarts };
      const certain = isEnd ? this.#pending : this.#pending.slice(0, startOfOpenLine(this.#pending));
      const end = this.#endOfReasoning(certain);
      this.#pending = this.#pending.slice(end ?? certain.length);
      if (end === null) return { text: certain, restarts };
      this.#state = 'beginning';
      this.#quoting = new QuotingText();
    }
  }

  /** Where reasoning ends in the next part of what seemed to be the answer; null without a line that ends it. */
  #endOfReasoning(part: string): number | null {
    let read = 0;
    for (const { 0: line, index } of part.matchAll(LONE_CLOSING)) {
      this.#quoting.read(part.slice(read, index + 1));
      if (!this.#quoting.isQuoted) return index + line.length;
      read = index + 1;
    }
    this.#quoting.read(part.slice(read));
    return null;
  }

  /** Removes reasoning from the beginning of what waits. Returns whether more may follow. */
  #skip(isEnd: boolean): boolean {
    if (this.#state === 'answer') return false;
    if (this.#state === 'reasoning') {
      const end = this.#pending.indexOf(CLOSING);
      this.#pending = this.#pending.slice(end < 0 ? 1 - CLOSING.length : end + CLOSING.length);
      if (end >= 0) this.#state = 'beginning';
      return end >= 0;
    }
    this.#pending = this.#pending.trimStart();
    // A model that does not reason may write the closing tag alone.
    const tag = [OPENING, CLOSING].find((one) => this.#pending.startsWith(one));
    if (tag !== undefined) {
      this.#pending = this.#pending.slice(tag.length);
      if (tag === OPENING) this.#state = 'reasoning';
      return true;
    }
    const mayBeTag = !isEnd && [OPENING, CLOSING].some((one) => one.startsWith(this.#pending));
    if (!mayBeTag) this.#state = 'answer';
    return false;
  }
}

/** Follows a text, and knows whether a closing tag in the next line is quoted. */
class QuotingText {
  readonly #code = new FencedCode();
  #hasOpening = false;
  /** The beginning of a line whose end is not known. */
  #line = '';

  get isQuoted(): boolean {
    return this.#hasOpening || this.#code.isInside;
  }

  read(part: string): void {
    this.#line += part;
    if (!part.includes('\n')) return;
    const end = this.#line.lastIndexOf('\n') + 1;
    const lines = this.#line.slice(0, end);
    this.#line = this.#line.slice(end);
    this.#hasOpening ||= lines.includes(OPENING);
    this.#code.passText(lines);
  }
}

/** Returns a whole answer without its reasoning. */
export function withoutReasoning(answer: string): string {
  const reader = new ReasoningReader();
  const [first, last] = [reader.read(answer), reader.end()];
  return last.restarts ? last.text : first.text + last.text;
}

/** Where the last line of a text starts, with its line break, if it may become one of a closing tag alone; else the end of the text. */
function startOfOpenLine(text: string): number {
  const at = text.lastIndexOf('\n');
  const line = text.slice(at + 1);
  return at >= 0 && line.length <= MAX_LINE && CLOSING.startsWith(line.trim()) ? at : text.length;
}
