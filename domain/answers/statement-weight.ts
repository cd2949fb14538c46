import { isInFencedCode } from './fenced-code.ts';
import type { Span } from './sentence-spans.ts';

/** Longer lines are sentences without an end mark. */
const MAX_TITLE_CHARACTERS = 60;
/** A title may be a short sentence: of two that say as much, the other one is better. */
const TITLE_WEIGHT = 0.5;
/** Any sentence is better. */
const MARKDOWN_HEADING_WEIGHT = 0.01;

const MARKDOWN_HEADING = /^#{1,6}\s/;
/** A comment of a script or a configuration begins like a heading, but says something: a sentence, or a number for a name. */
const SAYS_SOMETHING = /[.!…。！।]["'”’»)\]*_]*$|[:=：][^\n]*\d/u;
const ENDS_SENTENCE = /[.!?…:;。！？؟।]["'”’»)\]*_]*$/u;
const IS_BLOCK = /^(?:[-*+•|>]|\d+[.)]\s)/;

/** How much a part of a text counts as a statement, between 0 and 1: headings name what others say. */
export function statementWeight(text: string, { start, end }: Span): number {
  if (isMarkdownHeading(text, { start, end })) return MARKDOWN_HEADING_WEIGHT;
  return isTitle(text, { start, end }) ? TITLE_WEIGHT : 1;
}

/** Whether a part of a text is a Markdown heading, with its marks, and no comment of code. */
export function isMarkdownHeading(text: string, { start, end }: Span): boolean {
  const part = text.slice(start, end);
  return MARKDOWN_HEADING.test(part) && !SAYS_SOMETHING.test(part) && !isInFencedCode(text, start);
}

/** A short line between empty lines, or at the beginning, without an end mark, and with text below it. */
function isTitle(text: string, { start, end }: Span): boolean {
  if (end - start > MAX_TITLE_CHARACTERS) return false;
  const line = text.slice(start, end);
  if (line.includes('\n') || ENDS_SENTENCE.test(line) || IS_BLOCK.test(line)) return false;
  const isAlone = /(?:^|\n[^\S\n]*\n)[^\S\n]*$/.test(text.slice(Math.max(0, start - 40), start));
  return isAlone && /^[^\S\n]{0,40}\n[^\S\n]{0,40}\n\s{0,40}\S/.test(text.slice(end, end + 200));
}
