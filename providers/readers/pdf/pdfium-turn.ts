/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import type { Box } from './pdfium-page.ts';
import type { Rule } from './pdfium-rules.ts';

/** A page turned so that most of its text runs from left to right: its size then, and where boxes and rules come to lie. */
export type Turn = {
  width: number;
  height: number;
  box(this: void, box: Box): Box;
  rule(this: void, rule: Rule): Rule;
};

const SAMPLES = 9;
/** Of the sampled characters, for a page to be turned. */
const MIN_SHARE = 0.6;
const QUARTER = Math.PI / 2;
const NEAR = 0.1;

/** Pages stand on their side, or upside down, by an entry of their own or by the way their text is drawn; the text tells both. */
export function turnOf(pdfium: Pdfium, page: number, textPage: number): Turn {
  const [shownWidth, shownHeight] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
  const isOnSide = pdfium._FPDFPage_GetRotation(page) % 2 === 1;
  const [width, height] = isOnSide ? [shownHeight, shownWidth] : [shownWidth, shownHeight];
  switch (quartersOf(pdfium, textPage)) {
    case 3:
      return turned({ width: height, height: width }, ({ x, y }) => ({ x: y, y: width - x }));
    case 2:
      return turned({ width, height }, ({ x, y }) => ({ x: width - x, y: height - y }));
    case 1:
      return turned({ width: height, height: width }, ({ x, y }) => ({ x: height - y, y: x }));
    default:
      return { width, height, box: (box) => box, rule: (rule) => rule };
  }
}

/** Quarter turns with the clock of most of the page's characters. */
function quartersOf(pdfium: Pdfium, textPage: number): number {
  const count = pdfium._FPDFText_CountChars(textPage);
  const counts = [0, 0, 0, 0];
  let sampled = 0;
  for (let index = 0; index < count; index += Math.max(1, Math.floor(count / SAMPLES))) {
    const quarters = pdfium._FPDFText_GetCharAngle(textPage, index) / QUARTER;
    if (quarters < 0 || pdfium._FPDFText_GetUnicode(textPage, index) <= 32) continue;
    sampled += 1;
    const nearest = Math.round(quarters);
    if (Math.abs(quarters - nearest) < NEAR) counts[nearest % 4] = (counts[nearest % 4] ?? 0) + 1;
  }
  const most = counts.indexOf(Math.max(...counts));
  return (counts[most] ?? 0) >= sampled * MIN_SHARE && sampled > 0 ? most : 0;
}

type Point = { x: number; y: number };

function turned(size: { width: number; height: number }, point: (point: Point) => Point): Turn {
  const box = ({ left, top, right, bottom }: Box): Box => {
    const [a, b] = [point({ x: left, y: bottom }), point({ x: right, y: top })];
    return {
      left: Math.min(a.x, b.x),
      right: Math.max(a.x, b.x),
      top: Math.max(a.y, b.y),
      bottom: Math.min(a.y, b.y),
    };
  };
  const rule = ({ isHorizontal, at, from, to }: Rule): Rule => {
    const [start, end] = isHorizontal
      ? [point({ x: from, y: at }), point({ x: to, y: at })]
      : [point({ x: at, y: from }), point({ x: at, y: to })];
    const isFlat = Math.abs(start.y - end.y) < Math.abs(start.x - end.x);
    const ends = isFlat ? [start.x, end.x] : [start.y, end.y];
    return { isHorizontal: isFlat, at: isFlat ? start.y : start.x, from: Math.min(...ends), to: Math.max(...ends) };
  };
  return { ...size, box, rule };
}
