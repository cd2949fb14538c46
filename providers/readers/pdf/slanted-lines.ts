import type { PdfLine, PdfPage } from './page.ts';

type Page = PdfPage | null;

/**
 * Takes the slanted lines out of the pages, whose sentences they would interrupt; `slanted` has them by page. A text that was
 * already there is left out: a watermark recurs on every page.
 */
export function setSlantedLinesApart(pages: readonly Page[]): { straight: Page[]; slanted: PdfLine[][] } {
  const seen = new Set<string>();
  const isNew = ({ text }: PdfLine): boolean => seen.size < seen.add(text.trim()).size;
  return {
    straight: pages.map((page) => page && { ...page, lines: page.lines.filter((line) => !line.isSlanted) }),
    slanted: pages.map((page) => (page?.lines ?? []).filter((line) => line.isSlanted).filter(isNew)),
  };
}
