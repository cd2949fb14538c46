/** Number of spaces before the text of a line; an empty line has none. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The lines without the white space that all of them begin with, and without empty lines at both ends. */
export function dedent(lines: readonly string[]): string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const indent = filled.reduce((least, line) => Math.min(least, indentOf(line)), Number.MAX_SAFE_INTEGER);
  const cut = lines.map((line) => line.slice(indent));
  const isFilled = (line: string): boolean => line.trim() !== '';
  const first = cut.findIndex(isFilled);
  return first === -1 ? [] : cut.slice(first, cut.findLastIndex(isFilled) + 1);
}

/** The end of the block of lines from `start` that are empty, or indented by at least `indent`. */
export function endOfIndented(lines: readonly string[], start: number, indent: number): number {
  let end = start;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) < indent) break;
    end = at + 1;
  }
  return end;
}
