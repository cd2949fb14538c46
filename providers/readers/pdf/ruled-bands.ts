import type { Box, PdfLine, RuledLine } from './page.ts';

/** In points. */
const TOLERANCE = 3;
/** Top, below the header, and bottom. */
const MIN_RULES = 3;
const MIN_LENGTH = 40;
/** A header directly above the first rule is at most this many line heights away from it. */
const MAX_HEADER_GAP = 0.6;

/**
 * The bands of a page that horizontal rules of the same extent enclose, without vertical ones: tables as in books and scientific
 * papers.
 */
export function findRuledBands(ruledLines: readonly RuledLine[]): Box[] {
  const vertical = ruledLines.filter(({ isHorizontal }) => !isHorizontal);
  const groups: RuledLine[][] = [];
  for (const line of ruledLines) {
    if (!line.isHorizontal || line.end - line.start < MIN_LENGTH) continue;
    const group = groups.find(([first]) => first && isSameExtent(first, line));
    if (group) group.push(line);
    else groups.push([line]);
  }
  const boxes = groups.filter(({ length }) => length >= MIN_RULES).map(boxOf);
  return boxes.filter((box) => !vertical.some((line) => crosses(line, box)));
}

/** Whether a line of text is within the band, or is its header directly above. */
export function isInBand({ words }: PdfLine, band: Box): boolean {
  return words.every(({ left, right, top, bottom }) => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isBelowTop = y < band.top || bottom - band.top < MAX_HEADER_GAP * (top - bottom);
    return x > band.left && x < band.right && y > band.bottom && isBelowTop;
  });
}

function isSameExtent(a: RuledLine, b: RuledLine): boolean {
  return Math.abs(a.start - b.start) <= TOLERANCE && Math.abs(a.end - b.end) <= TOLERANCE;
}

function boxOf(rules: readonly RuledLine[]): Box {
  const places = rules.map(({ position }) => position);
  const [left, right] = [Math.min(...rules.map(({ start }) => start)), Math.max(...rules.map(({ end }) => end))];
  return { left, right, top: Math.max(...places), bottom: Math.min(...places) };
}

function crosses({ position, start, end }: RuledLine, { left, right, top, bottom }: Box): boolean {
  const isBeside = position < left - TOLERANCE || position > right + TOLERANCE;
  return !isBeside && start < top - TOLERANCE && end > bottom + TOLERANCE;
}
