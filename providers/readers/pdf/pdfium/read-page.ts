/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import { addDrawnBullets, replaceLetterBullets } from '#providers/readers/pdf/bullets.ts';
import { joinFractions } from '#providers/readers/pdf/fractions.ts';
import { joinLineSegments } from '#providers/readers/pdf/join-line-segments.ts';
import { insertFieldValues } from '#providers/readers/pdf/field-values.ts';
import { readFormFields } from './form-fields.ts';
import { hasDrawing, imageShareOfPage, readDrawing } from './drawing.ts';
import { readPageRotation } from './page-rotation.ts';
import type { PdfLine, PdfPage } from '#providers/readers/pdf/page.ts';
import { leaveOutLayers } from './layers.ts';
import { readPageLines } from './page-lines.ts';
import { isVisible, isVisibleRuledLine, visibleLines } from '#providers/readers/pdf/visible-lines.ts';

/** A shorter text at the edge of a page that is mostly an image may be a stamp on a scan. */
const MAX_STAMP_LENGTH = 200;
const EDGE_SHARE = 0.12;
const MIN_IMAGE_SHARE = 0.5;

/**
 * Reads the text, the values of form fields and the ruled lines of a page; null when it is damaged. `form` is the
 * handle of `openFormFields`. Text of layers whose names are `hiddenLayers` is not read.
 */
export function readPage(
  pdfium: Pdfium,
  { document, form, hiddenLayers }: { document: number; form: number; hiddenLayers: ReadonlySet<string> },
  index: number,
): PdfPage | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  if (hiddenLayers.size > 0) leaveOutLayers(pdfium, page, hiddenLayers);
  const textPage = pdfium._FPDFText_LoadPage(page);
  try {
    if (textPage === 0) return null;
    const rotation = readPageRotation(pdfium, page, textPage);
    const { width, height } = rotation;
    const fields = readFormFields(pdfium, page, form)
      .map(({ text, box }) => ({ text, box: rotation.rotateBox(box) }))
      .filter(({ box }) => isVisible(box, rotation));
    const found = visibleLines(readPageLines(pdfium, textPage, rotation), rotation);
    // Files and pdfium put columns in either order.
    if (rotation.isVertical) found.sort((a, b) => b.first.bottom - a.first.bottom || a.first.left - b.first.left);
    const lines = insertFieldValues(found, fields);
    if (lines.length === 0) return { width, height, lines, ruledLines: [], isImage: hasDrawing(pdfium, page) };
    const { ruledLines: drawn, dots } = readDrawing(pdfium, page);
    const ruledLines = joinLineSegments(
      drawn.map(rotation.rotateRuledLine).filter((line) => isVisibleRuledLine(line, rotation)),
    );
    const isImage = isStampText(lines, height) && imageShareOfPage(pdfium, page) >= MIN_IMAGE_SHARE;
    const linesWithBullets = addDrawnBullets(
      replaceLetterBullets(joinFractions(lines, ruledLines)),
      dots.map(rotation.rotateBox),
    );
    return { width, height, lines: linesWithBullets, ruledLines, isImage };
  } finally {
    if (textPage !== 0) pdfium._FPDFText_ClosePage(textPage);
    pdfium._FPDF_ClosePage(page);
  }
}

/** Numbers and names that were printed onto a scan: little text, all of it at the upper or lower edge of the page, or slanted. */
function isStampText(lines: readonly PdfLine[], height: number): boolean {
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  const isAtEdge = ({ first, isSlanted }: PdfLine): boolean =>
    isSlanted === true || first.bottom > height * (1 - EDGE_SHARE) || first.top < height * EDGE_SHARE;
  return length <= MAX_STAMP_LENGTH && lines.every(isAtEdge);
}
