/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { decodeUtf16, type Pdfium } from './pdfium.ts';
import { withPageBitmap } from './render-page.ts';

const [TEXT_OBJECT, FORM_OBJECT] = [1, 5];
/** A page of technical drawings takes long to draw, and has more layers than text. */
const [MAX_OBJECTS, MAX_LAYERS] = [6_000, 12];
const MAX_NAME_BYTES = 256;
/** Marks optional content, which belongs to a layer (ISO 32000-1, 8.11.3.2). */
const OPTIONAL_CONTENT = 'OC';
/** Longest side of the drawn page, in pixels. */
const MAX_SIDE = 1_000;
/** Where the catalog lists layers, and where a compressed catalog may be. */
const MAY_HAVE_LAYERS = ['/OCProperties', '/ObjStm'];

/** Whether the file may have layers: a quick test, for most files have none. */
export function mayHaveLayers(file: Buffer): boolean {
  return MAY_HAVE_LAYERS.some((name) => file.includes(name));
}

/**
 * Leaves the texts of layers that are off out of a loaded page, before its text is read. pdfium does not say which layers are off,
 * but draws the page without them: these change nothing when they are missing.
 */
export function leaveOutHiddenLayers(pdfium: Pdfium, page: number): void {
  const layers = findLayers(pdfium, page);
  if (layers.size === 0 || layers.size > MAX_LAYERS) return;
  const shown = draw(pdfium, page);
  for (const objects of layers.values()) {
    for (const object of objects) pdfium._FPDFPageObj_SetIsActive(object, 0);
    if (shown && draw(pdfium, page)?.equals(shown)) continue;
    for (const object of objects) pdfium._FPDFPageObj_SetIsActive(object, 1);
  }
}

/** The objects with text on each layer, by its name. */
function findLayers(pdfium: Pdfium, page: number): Map<string, number[]> {
  const layers = new Map<string, number[]>();
  const count = pdfium._FPDFPage_CountObjects(page);
  if (count > MAX_OBJECTS) return layers;
  const scratch = pdfium._malloc(MAX_NAME_BYTES + 4);
  for (let index = 0; index < count; index += 1) {
    const object = pdfium._FPDFPage_GetObject(page, index);
    const marks = object === 0 ? 0 : pdfium._FPDFPageObj_CountMarks(object);
    if (marks === 0 || ![TEXT_OBJECT, FORM_OBJECT].includes(pdfium._FPDFPageObj_GetType(object))) continue;
    for (let at = 0; at < marks; at += 1) {
      const layer = layerOf(pdfium, pdfium._FPDFPageObj_GetMark(object, at), scratch);
      if (layer !== null) layers.set(layer, [...(layers.get(layer) ?? []), object]);
    }
  }
  pdfium._free(scratch);
  return layers;
}

/** The name of the layer that a mark stands for; empty for a combination of layers, null for another mark. */
function layerOf(pdfium: Pdfium, mark: number, scratch: number): string | null {
  const lengthAt = scratch + MAX_NAME_BYTES;
  const read = (): string => {
    const length = new DataView(pdfium.HEAPU8.buffer).getUint32(lengthAt, true);
    return length > 2 && length <= MAX_NAME_BYTES ? decodeUtf16(pdfium, scratch, length - 2) : '';
  };
  const isRead = pdfium._FPDFPageObjMark_GetName(mark, scratch, MAX_NAME_BYTES, lengthAt) !== 0;
  if (!isRead || read() !== OPTIONAL_CONTENT) return null;
  const key = Buffer.from('Name\0');
  const keyAt = pdfium._malloc(key.length);
  pdfium.HEAPU8.set(key, keyAt);
  const hasName = pdfium._FPDFPageObjMark_GetParamStringValue(mark, keyAt, scratch, MAX_NAME_BYTES, lengthAt) !== 0;
  pdfium._free(keyAt);
  return hasName ? read() : '';
}

function draw(pdfium: Pdfium, page: number): Buffer | null {
  const [width, height] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  const size = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
  return withPageBitmap(pdfium, { page, ...size, flags: 0 }, (pixels) => Buffer.from(pixels));
}
