/** What may stand before a fence in its line: spaces, and the marks of lists and quotations. */
const LINE_START = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*)*$/;
const FENCE = /^(?:`{3,}|~{3,})$/;
const MAX_LINE_START = 64;

/** Longer inline code is read like text, so that an answer does not wait for the end of what a stray backtick seems to begin. */
export const MAX_INLINE_CODE = 300;
/** The source of an expression for inline code within a line. */
export const INLINE_CODE = `(?<!\`)(?<ticks>\`+)(?!\`)[^\\n]{0,${MAX_INLINE_CODE}}?(?<!\`)\\k<ticks>(?!\`)`;
const CODE = new RegExp(`${INLINE_CODE}|\`{3,}|~{3,}`, 'g');

/** Follows a text of Markdown from part to part, and knows whether it is in a fenced block of code. */
export class FencedCode {
  /** The run that the block began with; empty outside of a block. */
  #fence = '';
  /** The beginning of the current line. */
  #line = '';

  get isInside(): boolean {
    return this.#fence !== '';
  }

  /** Takes the next part of the text. Each run of backticks or tildes outside of inline code must be a part of its own. */
  pass(part: string): void {
    if (FENCE.test(part) && this.#line.length <= MAX_LINE_START && LINE_START.test(this.#line)) {
      if (this.#fence === '') this.#fence = part;
      else if (part.startsWith(this.#fence)) this.#fence = '';
    }
    const line = part.lastIndexOf('\n');
    this.#line = (line < 0 ? this.#line + part : part.slice(line + 1)).slice(0, MAX_LINE_START + 1);
  }

  /** Takes the next part of the text, in which no inline code and no run goes on in the following one. */
  passText(text: string): void {
    let passed = 0;
    for (const { 0: token, index } of text.matchAll(CODE)) {
      this.pass(text.slice(passed, index));
      this.pass(token);
      passed = index + token.length;
    }
    this.pass(text.slice(passed));
  }
}

/** Whether a place in a text is in a fenced block. */
export function isInFencedCode(text: string, at: number): boolean {
  const code = new FencedCode();
  code.passText(text.slice(0, at));
  return code.isInside;
}
