/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import type { Box, RuledLine } from '#providers/readers/pdf/page.ts';

const PATH_OBJECT = 2;
const IMAGE_OBJECT = 3;
const FORM_OBJECT = 5;
const MOVE_TO = 2;
/** Thinner rectangles are strokes. In points. */
const MAX_STROKE_WIDTH = 3;
const MIN_LINE_LENGTH = 6;
/** A page of technical drawings has no tables worth the time. */
const MAX_OBJECTS = 6_000;
const MAX_SEGMENTS = 400;
/** Width of a bullet, in points. */
const DOT_SIZE = { min: 1.5, max: 7 };

/** Reads the ruled lines of a loaded page, and the dots that may be bullets of lists. */
export function readDrawing(pdfium: Pdfium, page: number): { ruledLines: RuledLine[]; dots: Box[] } {
  const [ruledLines, dots]: [RuledLine[], Box[]] = [[], []];
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count > MAX_OBJECTS) return { ruledLines, dots };
  const scratch = pdfium._malloc(24);
  for (let index = 0; index < count; index += 1) {
    const object = pdfium._FPDFPage_GetObject(page, index);
    if (object === 0 || pdfium._FPDFPageObj_GetType(object) !== PATH_OBJECT) continue;
    const segments = pdfium._FPDFPath_CountSegments(object);
    if (segments > MAX_SEGMENTS) continue;
    const box = boundsOf(pdfium, object, scratch);
    if (!box) continue;
    if (isDot(box)) dots.push(box);
    else if (segments <= 5) addBoxLines(box, ruledLines);
    else addPathLines(pdfium, { object, scratch, ruledLines, segments });
  }
  pdfium._free(scratch);
  return { ruledLines, dots };
}

/** Whether the shape is as high as wide, and about as large as a bullet. */
function isDot({ left, right, top, bottom }: Box): boolean {
  const [width, height] = [right - left, top - bottom];
  return width >= DOT_SIZE.min && width <= DOT_SIZE.max && height >= width * 0.8 && height <= width * 1.25;
}

function boundsOf(pdfium: Pdfium, object: number, scratch: number): Box | null {
  if (pdfium._FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return null;
  const [left = 0, bottom = 0, right = 0, top = 0] = pdfium.HEAPF32.subarray(scratch / 4, scratch / 4 + 4);
  return { left, bottom, right, top };
}

/** Text drawn as outlines consists of at least this many paths. */
const MIN_OUTLINES = 20;
const MAX_SAMPLED_OBJECTS = 500;

/** Whether the page has an image, a form XObject or many paths: something that may show text. */
export function hasDrawing(pdfium: Pdfium, page: number): boolean {
  let outlines = 0;
  const count = Math.min(MAX_SAMPLED_OBJECTS, pdfium._FPDFPage_CountObjects(page));
  for (let index = 0; index < count; index += 1) {
    const type = pdfium._FPDFPageObj_GetType(pdfium._FPDFPage_GetObject(page, index));
    if (type === IMAGE_OBJECT || type === FORM_OBJECT) return true;
    if (type === PATH_OBJECT) outlines += 1;
  }
  return outlines >= MIN_OUTLINES;
}

/** Share of the page area that images cover. */
export function imageShareOfPage(pdfium: Pdfium, page: number): number {
  const scratch = pdfium._malloc(16);
  const count = Math.min(MAX_SAMPLED_OBJECTS, pdfium._FPDFPage_CountObjects(page));
  let area = 0;
  for (let index = 0; index < count; index += 1) {
    const object = pdfium._FPDFPage_GetObject(page, index);
    if (pdfium._FPDFPageObj_GetType(object) !== IMAGE_OBJECT) continue;
    const box = boundsOf(pdfium, object, scratch);
    if (box) area += (box.right - box.left) * (box.top - box.bottom);
  }
  pdfium._free(scratch);
  return area / Math.max(1, pdfium._FPDF_GetPageWidthF(page) * pdfium._FPDF_GetPageHeightF(page));
}

type PathObject = { object: number; scratch: number; ruledLines: RuledLine[]; segments: number };

/** Adds the lines of a stroke or a rectangle, by its bounding box. */
function addBoxLines({ left, right, top, bottom }: Box, ruledLines: RuledLine[]): void {
  const [width, height] = [right - left, top - bottom];
  if (height <= MAX_STROKE_WIDTH && width >= MIN_LINE_LENGTH) {
    ruledLines.push({ isHorizontal: true, position: (top + bottom) / 2, start: left, end: right });
  } else if (width <= MAX_STROKE_WIDTH && height >= MIN_LINE_LENGTH) {
    ruledLines.push({ isHorizontal: false, position: (left + right) / 2, start: bottom, end: top });
  } else if (width >= MIN_LINE_LENGTH && height >= MIN_LINE_LENGTH) {
    for (const position of [bottom, top]) ruledLines.push({ isHorizontal: true, position, start: left, end: right });
    for (const position of [left, right]) ruledLines.push({ isHorizontal: false, position, start: bottom, end: top });
  }
}

/** Adds the lines of a path: a whole grid may be one path. */
function addPathLines(pdfium: Pdfium, { object, scratch, ruledLines, segments }: PathObject): void {
  const hasMatrix = pdfium._FPDFPageObj_GetMatrix(object, scratch) !== 0;
  const matrix = pdfium.HEAPF32.subarray(scratch / 4, scratch / 4 + 6);
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = hasMatrix ? matrix : [];
  let previous: { x: number; y: number } | null = null;
  for (let index = 0; index < segments; index += 1) {
    const segment = pdfium._FPDFPath_GetPathSegment(object, index);
    if (segment === 0 || pdfium._FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) === 0) return;
    const [px = 0, py = 0] = pdfium.HEAPF32.subarray(scratch / 4, scratch / 4 + 2);
    const point = { x: a * px + c * py + e, y: b * px + d * py + f };
    if (previous && pdfium._FPDFPathSegment_GetType(segment) !== MOVE_TO) addSegmentLine(ruledLines, previous, point);
    previous = point;
  }
}

function addSegmentLine(ruledLines: RuledLine[], from: { x: number; y: number }, to: { x: number; y: number }): void {
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  if (height <= 0.5 && width >= MIN_LINE_LENGTH) {
    ruledLines.push({
      isHorizontal: true,
      position: from.y,
      start: Math.min(from.x, to.x),
      end: Math.max(from.x, to.x),
    });
  } else if (width <= 0.5 && height >= MIN_LINE_LENGTH) {
    ruledLines.push({
      isHorizontal: false,
      position: from.x,
      start: Math.min(from.y, to.y),
      end: Math.max(from.y, to.y),
    });
  }
}
