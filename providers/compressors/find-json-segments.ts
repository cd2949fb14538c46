/** Lines `[from, to)` that are one JSON value. */
export type Segment = { from: number; to: number };

/** Shorter values are ignored. */
const MIN_CHARACTERS = 200;
/** Limits the search in text that only looks like JSON: at most this many times the length of the text is read. */
const MAX_SEARCH_FACTOR = 3;

/** Finds JSON values: from a line that begins with a bracket to the line that ends with the matching one. */
export function findJsonSegments(lines: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  let allowance = MAX_SEARCH_FACTOR * lines.reduce((sum, line) => sum + line.length + 1, 0);
  for (let from = 0; from < lines.length && allowance > 0; from += 1) {
    if (!/^[[{]/.test(lines[from] ?? '')) continue;
    const { to, searched } = closingLine(lines, from, allowance);
    allowance -= searched;
    if (to === null || searched < MIN_CHARACTERS) continue;
    segments.push({ from, to });
    from = to - 1;
  }
  return segments;
}

/** Returns the line after the one that ends with the matching bracket; null when there is none. */
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
    const after = depthAfter(line, depth);
    if (after === null) return { to: null, searched };
    depth = after;
    if (depth === 0) return { to: /[\]}]$/.test(line) ? at + 1 : null, searched };
  }
  return { to: null, searched };
}

/** Returns the depth at the end of a line; null when the line is no JSON. Reads each character once. */
function depthAfter(line: string, before: number): number | null {
  let depth = before;
  let isInString = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth < 0) return null;
  }
  // JSON strings contain no line breaks.
  return isInString ? null : depth;
}
