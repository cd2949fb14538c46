/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { decodeUtf16, type Pdfium } from './pdfium.ts';

const [TEXT_OBJECT, FORM_OBJECT] = [1, 5];
const MAX_NAME_BYTES = 256;
/** Marks optional content, which belongs to a layer (ISO 32000-1, 8.11.3.2). */
const OPTIONAL_CONTENT = 'OC';
const NAME_KEY = Buffer.from('Name\0');

/** Leaves the texts of layers with these names out of a loaded page, before its text is read. Names are given as their bytes. */
export function leaveOutLayers(pdfium: Pdfium, page: number, names: ReadonlySet<string>): void {
  const scratch = pdfium._malloc(MAX_NAME_BYTES + 4 + NAME_KEY.length);
  const keyAt = scratch + MAX_NAME_BYTES + 4;
  pdfium.HEAPU8.set(NAME_KEY, keyAt);
  for (let index = pdfium._FPDFPage_CountObjects(page) - 1; index >= 0; index -= 1) {
    const object = pdfium._FPDFPage_GetObject(page, index);
    const marks = object === 0 ? 0 : pdfium._FPDFPageObj_CountMarks(object);
    if (marks === 0 || ![TEXT_OBJECT, FORM_OBJECT].includes(pdfium._FPDFPageObj_GetType(object))) continue;
    for (let at = 0; at < marks; at += 1) {
      const layer = layerOf(pdfium, pdfium._FPDFPageObj_GetMark(object, at), { scratch, keyAt });
      if (layer !== null && names.has(layer)) pdfium._FPDFPageObj_SetIsActive(object, 0);
    }
  }
  pdfium._free(scratch);
}

/** The name of the layer that a mark stands for; null for a combination of layers, and for another mark. */
function layerOf(pdfium: Pdfium, mark: number, { scratch, keyAt }: { scratch: number; keyAt: number }): string | null {
  const lengthAt = scratch + MAX_NAME_BYTES;
  // Longer values were not written to the buffer.
  const length = (): number => {
    const bytes = new DataView(pdfium.HEAPU8.buffer).getUint32(lengthAt, true);
    return bytes > MAX_NAME_BYTES ? 0 : bytes;
  };
  if (pdfium._FPDFPageObjMark_GetName(mark, scratch, MAX_NAME_BYTES, lengthAt) === 0) return null;
  if (decodeUtf16(pdfium, scratch, Math.max(0, length() - 2)) !== OPTIONAL_CONTENT) return null;
  if (pdfium._FPDFPageObjMark_GetParamBlobValue(mark, keyAt, scratch, MAX_NAME_BYTES, lengthAt) === 0) return null;
  return length() === 0 ? null : Buffer.from(pdfium.HEAPU8.buffer, scratch, length()).toString('latin1');
}
