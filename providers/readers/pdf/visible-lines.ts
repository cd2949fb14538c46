import { type Box, type PdfLine, type RuledLine, withWords } from './page.ts';

/** The size of the visible part of a page in points; its lower left corner is the origin. */
type PageSize = { width: number; height: number };

/** Glyphs are a little smaller than their boxes. In points. */
const TOLERANCE = 1;

/**
 * The lines without the words outside the visible part of the page. What is cut off, by a crop box or by placing a sheet
 * of several pages behind a smaller page, is still in the file, often once for each of these pages.
 */
export function visibleLines(lines: readonly PdfLine[], page: PageSize): PdfLine[] {
  return lines.flatMap((line) => {
    if (isVisible(line.first, page) && isVisible(line.last, page)) return line;
    return (
      withWords(
        line,
        line.words.filter((word) => isVisible(word, page)),
      ) ?? []
    );
  });
}

/** Whether the center of a box is on the visible part of the page. */
export function isVisible({ left, right, top, bottom }: Box, { width, height }: PageSize): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= -TOLERANCE && x <= width + TOLERANCE && y >= -TOLERANCE && y <= height + TOLERANCE;
}

export function isVisibleRuledLine({ isHorizontal, position, start, end }: RuledLine, page: PageSize): boolean {
  const [along, across] = isHorizontal ? [page.width, page.height] : [page.height, page.width];
  return position >= -TOLERANCE && position <= across + TOLERANCE && end >= -TOLERANCE && start <= along + TOLERANCE;
}
