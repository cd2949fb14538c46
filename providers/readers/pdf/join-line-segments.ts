import type { RuledLine } from './page.ts';

/** Segments of one line are at most this many points apart. */
const TOLERANCE = 3;
/** A page of technical drawings has no tables worth the time. */
const MAX_RULED_LINES = 2_000;

/** Joins lines that were drawn in segments, such as the borders of cells. Empty for a drawing of very many lines. */
export function joinLineSegments(ruledLines: readonly RuledLine[]): RuledLine[] {
  if (ruledLines.length > MAX_RULED_LINES) return [];
  const joined: RuledLine[] = [];
  const sorted = ruledLines.toSorted(
    (a, b) =>
      Number(a.isHorizontal) - Number(b.isHorizontal) ||
      Math.round(a.position) - Math.round(b.position) ||
      a.start - b.start,
  );
  for (const line of sorted) {
    const last = joined.at(-1);
    const isSame =
      last && last.isHorizontal === line.isHorizontal && Math.round(last.position) === Math.round(line.position);
    if (last && isSame && line.start <= last.end + TOLERANCE) last.end = Math.max(last.end, line.end);
    else joined.push({ ...line });
  }
  return joined;
}
