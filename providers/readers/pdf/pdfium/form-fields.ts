/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { type Pdfium, decodeUtf16 } from './pdfium.ts';
import type { FormField } from '#providers/readers/pdf/page.ts';

const FREE_TEXT = 3;
const WIDGET = 20;
/** Annotation flags: hidden (bit 2), no view (bit 6). */
const INVISIBLE = 2 | 32;
const [CHECKBOX, RADIO_BUTTON, COMBO_BOX, LIST_BOX, TEXT_FIELD] = [2, 3, 4, 5, 6];
/** Field flag (bit 14): the value of the text field is shown as asterisks. */
const PASSWORD = 1 << 13;
const MAX_FIELDS = 2_000;
const MAX_VALUE_BYTES = 64 * 1024;
const FORM_INFO_BYTES = 512;

/** Opens the form of a document; the handle is 0 when it has none. No script of the document is run. */
export function openFormFields(pdfium: Pdfium, document: number): { form: number; close: () => void } {
  if (pdfium._FPDF_GetFormType(document) === 0) return { form: 0, close: () => undefined };
  const info = pdfium._malloc(FORM_INFO_BYTES);
  pdfium.HEAPU8.fill(0, info, info + FORM_INFO_BYTES);
  // Version 2 of FPDF_FORMFILLINFO, without callbacks.
  pdfium.HEAPU8[info] = 2;
  const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
  return {
    form,
    close() {
      if (form !== 0) pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      pdfium._free(info);
    },
  };
}

/** Reads the values of the visible form fields of a page, and free text annotations. */
export function readFormFields(pdfium: Pdfium, page: number, form: number): FormField[] {
  const count = Math.min(MAX_FIELDS, pdfium._FPDFPage_GetAnnotCount(page));
  if (count <= 0) return [];
  const fields: FormField[] = [];
  const buffer = pdfium._malloc(MAX_VALUE_BYTES);
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const text = readFieldValue(pdfium, { annotation, form, buffer });
    if (text !== '' && pdfium._FPDFAnnot_GetRect(annotation, buffer) !== 0) {
      const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.HEAPF32.subarray(buffer / 4, buffer / 4 + 4);
      fields.push({ text, box: { left, top: Math.max(top, bottom), right, bottom: Math.min(top, bottom) } });
    }
    pdfium._FPDFPage_CloseAnnot(annotation);
  }
  pdfium._free(buffer);
  return fields;
}

type Annotation = { annotation: number; form: number; buffer: number };

function readFieldValue(pdfium: Pdfium, { annotation, form, buffer }: Annotation): string {
  if ((pdfium._FPDFAnnot_GetFlags(annotation) & INVISIBLE) !== 0) return '';
  const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
  if (subtype === FREE_TEXT) return readDictionaryString(pdfium, { annotation, buffer, key: 'Contents' });
  if (subtype !== WIDGET || form === 0) return '';
  const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === CHECKBOX || type === RADIO_BUTTON) return isChecked(pdfium, annotation, buffer) ? '[x]' : '';
  if (type !== COMBO_BOX && type !== LIST_BOX && type !== TEXT_FIELD) return '';
  if (type === TEXT_FIELD && (pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0) return '';
  const bytes = pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, buffer, MAX_VALUE_BYTES);
  return decodeValue(pdfium, buffer, bytes);
}

/** By the appearance state: radio buttons of a group share their value. */
function isChecked(pdfium: Pdfium, annotation: number, buffer: number): boolean {
  const state = readDictionaryString(pdfium, { annotation, buffer, key: 'AS' });
  return state !== '' && state !== 'Off';
}

function readDictionaryString(
  pdfium: Pdfium,
  { annotation, buffer, key }: { annotation: number; buffer: number; key: string },
) {
  const name = pdfium._malloc(key.length + 1);
  pdfium.HEAPU8.set(Buffer.from(`${key}\0`, 'latin1'), name);
  const bytes = pdfium._FPDFAnnot_GetStringValue(annotation, name, buffer, MAX_VALUE_BYTES);
  pdfium._free(name);
  return decodeValue(pdfium, buffer, bytes);
}

/** Longer values were not written to the buffer. */
function decodeValue(pdfium: Pdfium, buffer: number, bytes: number): string {
  return bytes <= 2 || bytes > MAX_VALUE_BYTES ? '' : decodeUtf16(pdfium, buffer, bytes - 2).trim();
}
