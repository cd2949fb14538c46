import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { MAX_MONOSPACED_SHARE } from '#providers/readers/shared/monospaced-fonts.ts';
import type { PdfLine } from './page.ts';

/** A single line may be an address or a command within the text. */
const MIN_LINES = 2;
/** A distance of more than this many line heights stands for an empty line. */
const EMPTY_LINE_GAP = 1.7;
const MAX_INDENT = 60;
/** A document with this many prose lines of at least `PROSE_LENGTH` has code blocks, however much of it is code. */
const MIN_PROSE_LINES = 5;
const PROSE_LENGTH = 40;
const HYPHEN_MARK = /\uFFFE/g;

/** Whether a monospaced font distinguishes code in this document, as opposed to being the font of all its text. */
export function hasCodeBlocks(pages: readonly (readonly PdfLine[])[]): boolean {
  let [total, monospaced, prose] = [0, 0, 0];
  for (const { text, isMonospaced, isBold } of pages.flat()) {
    total += text.length;
    if (isMonospaced) monospaced += text.length;
    else if (!isBold && text.length >= PROSE_LENGTH) prose += 1;
  }
  return prose >= MIN_PROSE_LINES || monospaced <= total * MAX_MONOSPACED_SHARE;
}

/** The number of lines, from the first on, that form a code block; 0 when they form none. */
export function codeBlockLength(lines: readonly PdfLine[]): number {
  const end = lines.findIndex(({ isMonospaced }) => !isMonospaced);
  const length = end === -1 ? lines.length : end;
  return length >= MIN_LINES ? length : 0;
}

/**
 * Renders lines as a code block with their layout on the page: indented by their left edge, with empty lines for gaps.
 */
export function codeBlock(lines: readonly PdfLine[]): string {
  const left = Math.min(...lines.map(({ first }) => first.left));
  const widths = lines.map(({ first, last, text }) => (last.right - first.left) / Math.max(1, text.trimEnd().length));
  const width = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0;
  const out: string[] = [];
  let before: PdfLine | null = null;
  for (const line of lines) {
    const height = line.first.top - line.first.bottom;
    if (before && before.last.bottom - line.first.bottom > EMPTY_LINE_GAP * height) out.push('');
    const indent = width > 0 ? Math.round((line.first.left - left) / width) : 0;
    out.push(' '.repeat(Math.min(MAX_INDENT, indent)) + line.text.trimEnd().replace(HYPHEN_MARK, '-'));
    before = line;
  }
  return fencedCode(out.join('\n')).trimEnd();
}
