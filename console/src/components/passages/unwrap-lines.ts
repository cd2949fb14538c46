/** A line that was wrapped is at least as long as this. */
const MIN_WRAPPED = 40;
/** What begins a line of its own: items of lists, rows of tables, headings, quotations, and what is indented. */
const OWN_LINE = /^(?:[-*+•#|>]|\d+[.)]\s|\s|$)/;
const NEVER_WRAPPED = /^\s*[#|]/;

/**
 * Returns a text whose paragraphs flow, where a program wrapped them at some width: such a line break becomes a space, so that every
 * character keeps its place.
 */
export function unwrapLines(text: string): string {
  const lines = text.split('\n');
  return lines
    .map((line, at) => {
      const next = lines[at + 1];
      if (next === undefined) return line;
      const isWrapped = line.trim().length >= MIN_WRAPPED && !NEVER_WRAPPED.test(line) && !OWN_LINE.test(next);
      return line + (isWrapped ? ' ' : '\n');
    })
    .join('');
}
