/** Lines `[from, to)` that are one JSON value of some size. */
export type Segment = { from: number; to: number };

const SHORTEST = 200;
/** Text that only looks like JSON is not searched again and again: so many times its length in all. */
const MOST_SEARCHED = 3;

/** Where JSON stands in lines: from a line that begins with a bracket to the end of the line that closes it. */
export function findJsonSegments(lines: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  let allowance = MOST_SEARCHED * lines.reduce((sum, line) => sum + line.length + 1, 0);
  for (let from = 0; from < lines.length && allowance > 0; from += 1) {
    if (!/^[[{]/.test(lines[from] ?? '')) continue;
    const { to, searched } = closingLine(lines, from, allowance);
    allowance -= searched;
    if (to === null || searched < SHORTEST) continue;
    segments.push({ from, to });
    from = to - 1;
  }
  return segments;
}

/** The line after the one that ends with the bracket that closes the first; null where there is none. */
function closingLine(
  lines: readonly string[],
  from: number,
  allowance: number,
): { to: number | null; searched: number } {
  let depth = 0;
  let searched = 0;
  for (let at = from; at < lines.length && searched <= allowance; at += 1) {
    const line = lines[at] ?? '';
    searched += line.length + 1;
    // JSON has no line ends within strings.
    const bare = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    for (const character of bare) {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      if (depth < 0) return { to: null, searched };
    }
    if (depth === 0) return { to: /[\]}]$/.test(bare) ? at + 1 : null, searched };
  }
  return { to: null, searched };
}
