/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */

/**
 * The part of pdfium's C interface in use (fpdfview.h, fpdf_text.h, fpdf_doc.h, fpdf_annot.h, fpdf_formfill.h);
 * pointers and handles are numbers.
 */
export type Pdfium = {
  HEAPU8: Uint8Array;
  HEAPF32: Float32Array;
  _malloc(sizeBytes: number): number;
  _free(pointer: number): void;
  _FPDF_InitLibrary(): void;
  _FPDF_LoadMemDocument(data: number, sizeBytes: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetMetaText(document: number, tag: number, buffer: number, sizeBytes: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetText(textPage: number, start: number, count: number, buffer: number): number;
  _FPDFText_GetCharIndexFromTextIndex(textPage: number, textIndex: number): number;
  _FPDFText_GetLooseCharBox(textPage: number, charIndex: number, rectangle: number): number;
  _FPDFText_GetFontInfo(textPage: number, charIndex: number, buffer: number, sizeBytes: number, flags: number): number;
  _FPDFText_GetTextObject(textPage: number, charIndex: number): number;
  _FPDFTextObj_GetFont(textObject: number): number;
  _FPDFText_GetFontWeight(textPage: number, charIndex: number): number;
  /** In the coordinates of the text; `FPDFText_GetMatrix` has the scale of these. */
  _FPDFText_GetFontSize(textPage: number, charIndex: number): number;
  _FPDFText_GetMatrix(textPage: number, charIndex: number, matrix: number): number;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFText_GetUnicode(textPage: number, charIndex: number): number;
  _FPDFText_GetCharAngle(textPage: number, charIndex: number): number;
  _FPDF_GetPageBoundingBox(page: number, rectangle: number): number;
  _FPDF_GetFormType(document: number): number;
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetFlags(annotation: number): number;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetRect(annotation: number, rectangle: number): number;
  _FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, sizeBytes: number): number;
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, sizeBytes: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  /** An object that is not active is neither drawn nor part of the text. */
  _FPDFPageObj_SetIsActive(object: number, isActive: number): number;
  _FPDFPageObj_CountMarks(object: number): number;
  _FPDFPageObj_GetMark(object: number, index: number): number;
  _FPDFPageObjMark_GetName(mark: number, buffer: number, sizeBytes: number, length: number): number;
  _FPDFPageObjMark_GetParamBlobValue(
    ...args: [mark: number, key: number, buffer: number, sizeBytes: number, length: number]
  ): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPath_CountSegments(path: number): number;
  _FPDFPath_GetPathSegment(path: number, index: number): number;
  _FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number;
  _FPDFPathSegment_GetType(segment: number): number;
  _FPDFBitmap_Create(width: number, height: number, alpha: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, color: number): void;
  _FPDFBitmap_GetBuffer(bitmap: number): number;
  _FPDFBitmap_GetStride(bitmap: number): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: number,
      page: number,
      x: number,
      y: number,
      width: number,
      height: number,
      rotate: number,
      flags: number,
    ]
  ): void;
};

/** Decodes UTF-16LE text in the memory of pdfium. */
export function decodeUtf16(pdfium: Pdfium, pointer: number, sizeBytes: number): string {
  return Buffer.from(pdfium.HEAPU8.buffer, pointer, sizeBytes).toString('utf16le');
}
