/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import type { Box, RuledLine } from '#providers/readers/pdf/page.ts';

/**
 * The rotation that makes most text of a page run from left to right: the page size after it, and functions that rotate
 * coordinates. After it the visible part of the page is between 0 and `width`, and 0 and `height`.
 */
export type PageRotation = {
  width: number;
  height: number;
  rotateBox(this: void, box: Box): Box;
  rotateRuledLine(this: void, rule: RuledLine): RuledLine;
  /** The text is written from top to bottom, in columns from right to left: these are the lines of the rotated page. */
  isVertical?: true;
};

const SAMPLES = 9;
/** Share of the sampled characters that must have the same angle for the page to be rotated. */
const MIN_SHARE = 0.6;
/** Characters that are compared with the next one to detect vertical text, and how many must be above it. */
const [VERTICAL_SAMPLES, MIN_VERTICAL_PAIRS] = [30, 3];
/** The first of the blocks of East Asian scripts in Unicode: radicals. */
const FIRST_EAST_ASIAN = 0x2e80;
const VERTICAL_LINE_SPACE = 0.15;
export const QUARTER_TURN = Math.PI / 2;
/** In quarter turns. */
export const MAX_DEVIATION = 0.1;

/**
 * Pages are rotated by their `/Rotate` entry or by the text matrix of their content; the direction of the text reflects
 * both. The origin is the corner of the visible part of the page (its crop box), wherever the file puts that.
 */
export function readPageRotation(pdfium: Pdfium, page: number, textPage: number): PageRotation {
  const { left, bottom, right, top } = readPageBox(pdfium, page);
  const [width, height] = [right - left, top - bottom];
  if (hasVerticalText(pdfium, textPage)) {
    const rotation = rotatedBy({ width: height, height: width }, ({ x, y }) => ({ x: top - y, y: x - left }));
    return { ...rotation, rotateBox: (box) => withLineSpace(rotation.rotateBox(box)), isVertical: true };
  }
  switch (textQuarterTurns(pdfium, textPage)) {
    case 3:
      return rotatedBy({ width: height, height: width }, ({ x, y }) => ({ x: y - bottom, y: right - x }));
    case 2:
      return rotatedBy({ width, height }, ({ x, y }) => ({ x: right - x, y: top - y }));
    case 1:
      return rotatedBy({ width: height, height: width }, ({ x, y }) => ({ x: top - y, y: x - left }));
    default:
      return left === 0 && bottom === 0
        ? { width, height, rotateBox: (box) => box, rotateRuledLine: (rule) => rule }
        : rotatedBy({ width, height }, ({ x, y }) => ({ x: x - left, y: y - bottom }));
  }
}

/** The part of the page that is shown. */
function readPageBox(pdfium: Pdfium, page: number): Box {
  const scratch = pdfium._malloc(16);
  const isKnown = pdfium._FPDF_GetPageBoundingBox(page, scratch) !== 0;
  const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.HEAPF32.subarray(scratch / 4, scratch / 4 + 4);
  pdfium._free(scratch);
  if (isKnown) return { left, top, right, bottom };
  return { left: 0, top: pdfium._FPDF_GetPageHeightF(page), right: pdfium._FPDF_GetPageWidthF(page), bottom: 0 };
}

/** Clockwise quarter turns of most characters of the page. */
function textQuarterTurns(pdfium: Pdfium, textPage: number): number {
  const count = pdfium._FPDFText_CountChars(textPage);
  const counts = [0, 0, 0, 0];
  let sampled = 0;
  for (let index = 0; index < count; index += Math.max(1, Math.floor(count / SAMPLES))) {
    const quarters = pdfium._FPDFText_GetCharAngle(textPage, index) / QUARTER_TURN;
    if (quarters < 0 || pdfium._FPDFText_GetUnicode(textPage, index) <= 32) continue;
    sampled += 1;
    const nearest = Math.round(quarters);
    if (Math.abs(quarters - nearest) < MAX_DEVIATION) counts[nearest % 4] = (counts[nearest % 4] ?? 0) + 1;
  }
  const most = counts.indexOf(Math.max(...counts));
  return (counts[most] ?? 0) >= sampled * MIN_SHARE && sampled > 0 ? most : 0;
}

/**
 * Whether most characters that are sampled are East Asian and stand above the next one: these scripts are upright in vertical text,
 * others are turned. Upright characters of other scripts are horizontal text.
 */
function hasVerticalText(pdfium: Pdfium, textPage: number): boolean {
  const count = pdfium._FPDFText_CountChars(textPage);
  const [eastAsian, others]: [number[], number[]] = [[], []];
  for (let index = 0; index + 1 < count; index += Math.max(1, Math.floor(count / VERTICAL_SAMPLES))) {
    const unicode = pdfium._FPDFText_GetUnicode(textPage, index);
    if (unicode > 32) (unicode < FIRST_EAST_ASIAN ? others : eastAsian).push(index);
  }
  if (eastAsian.length < MIN_VERTICAL_PAIRS) return false;
  const scratch = pdfium._malloc(16);
  const uprightBoxAt = (index: number): Box | null => uprightBox(pdfium, { textPage, index, scratch });
  let [above, beside] = [0, others.filter((index) => uprightBoxAt(index) !== null).length];
  for (const index of eastAsian) {
    const isFollowed = pdfium._FPDFText_GetUnicode(textPage, index + 1) >= FIRST_EAST_ASIAN;
    const [box, next] = isFollowed ? [uprightBoxAt(index), uprightBoxAt(index + 1)] : [null, null];
    if (!box || !next) continue;
    if (next.left < box.right && next.right > box.left && next.top + next.bottom < box.top + box.bottom) above += 1;
    else beside += 1;
  }
  pdfium._free(scratch);
  return above >= MIN_VERTICAL_PAIRS && above >= (above + beside) * MIN_SHARE;
}

/** The box of an upright character; null for others. */
function uprightBox(
  pdfium: Pdfium,
  { textPage, index, scratch }: { textPage: number; index: number; scratch: number },
): Box | null {
  const isUpright = Math.abs(pdfium._FPDFText_GetCharAngle(textPage, index)) < MAX_DEVIATION;
  if (!isUpright || pdfium._FPDFText_GetLooseCharBox(textPage, index, scratch) === 0) return null;
  const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.HEAPF32.subarray(scratch / 4, scratch / 4 + 4);
  return { left, top, right, bottom };
}

/** Boxes of vertical characters end where these end; those of other text include the ascent and descent of the font. */
function withLineSpace(box: Box): Box {
  const space = (box.top - box.bottom) * VERTICAL_LINE_SPACE;
  return { ...box, top: box.top + space, bottom: box.bottom - space };
}

type Point = { x: number; y: number };

function rotatedBy(size: { width: number; height: number }, rotate: (point: Point) => Point): PageRotation {
  const rotateBox = ({ left, top, right, bottom }: Box): Box => {
    const [a, b] = [rotate({ x: left, y: bottom }), rotate({ x: right, y: top })];
    return {
      left: Math.min(a.x, b.x),
      right: Math.max(a.x, b.x),
      top: Math.max(a.y, b.y),
      bottom: Math.min(a.y, b.y),
    };
  };
  const rotateRuledLine = ({ isHorizontal, position, start, end }: RuledLine): RuledLine => {
    const [a, b] = isHorizontal
      ? [rotate({ x: start, y: position }), rotate({ x: end, y: position })]
      : [rotate({ x: position, y: start }), rotate({ x: position, y: end })];
    const isFlat = Math.abs(a.y - b.y) < Math.abs(a.x - b.x);
    const ends = isFlat ? [a.x, b.x] : [a.y, b.y];
    return {
      isHorizontal: isFlat,
      position: isFlat ? a.y : a.x,
      start: Math.min(...ends),
      end: Math.max(...ends),
    };
  };
  return { ...size, rotateBox, rotateRuledLine };
}
