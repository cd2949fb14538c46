/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { readFileSync } from 'node:fs';
import { AppError } from '#domain/app-error.ts';
import { openForm } from './pdfium-fields.ts';
import { drawPage } from './pdfium-picture.ts';
import { type PdfPage, readPage } from './pdfium-page.ts';
import { utf16 } from './pdfium-text.ts';

export type PdfFile = {
  pageCount: number;
  title: string;
  /** A page, counted from 0; null when it is damaged. */
  page(index: number): PdfPage | null;
  /** The page drawn, as a grey picture; null when it cannot be. */
  picture(index: number): Uint8Array | null;
  close(): void;
};

/** What is used of pdfium's C interface (fpdfview.h, fpdf_text.h, fpdf_doc.h, fpdf_annot.h, fpdf_formfill.h); pointers and handles are numbers. */
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
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFText_GetUnicode(textPage: number, charIndex: number): number;
  _FPDFText_GetCharAngle(textPage: number, charIndex: number): number;
  _FPDFPage_GetRotation(page: number): number;
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
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, sizeBytes: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPath_CountSegments(path: number): number;
  _FPDFPath_GetPathSegment(path: number, index: number): number;
  _FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number;
  _FPDFPathSegment_GetType(segment: number): number;
  _FPDFBitmap_Create(width: number, height: number, alpha: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, colour: number): void;
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

const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;

let loading: Promise<Pdfium> | null = null;

/** @throws AppError `encrypted`, `unreadable`. */
export async function openPdf(path: string): Promise<PdfFile> {
  loading ??= load();
  const pdfium = await loading;
  // The process has nothing else to do meanwhile.
  const bytes = readFileSync(path);
  const data = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  if (document === 0) {
    const code = pdfium._FPDF_GetLastError();
    pdfium._free(data);
    throw openingError(code);
  }
  const { form, close: closeForm } = openForm(pdfium, document);
  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    title: metaText(pdfium, document, 'Title'),
    page: (index) => readPage(pdfium, { document, form }, index),
    picture: (index) => drawPage(pdfium, document, index),
    close: () => {
      closeForm();
      pdfium._FPDF_CloseDocument(document);
      pdfium._free(data);
    },
  };
}

/**
 * Opens a document, hands it over and closes it.
 * @throws AppError `encrypted`, `unreadable`; whatever `use` throws.
 */
export async function withPdf<Result>(path: string, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
  try {
    const file = await openPdf(path);
    const result = await use(file).catch((error: unknown) => {
      if (error instanceof AppError) file.close();
      throw error;
    });
    file.close();
    return result;
  } catch (error) {
    // After a trap inside WebAssembly its memory cannot be trusted: the next document gets another instance.
    if (!(error instanceof AppError)) loading = null;
    throw error;
  }
}

async function load(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  // The package's types name a part of the functions that its module has.
  const pdfium = (await PDFiumModule({})) as unknown as Pdfium & { wasmExports: Record<string, unknown> };
  // Called without the checks of its debug build, which tens of thousands of calls a document would pass through.
  for (const [name, value] of Object.entries(pdfium.wasmExports))
    if (typeof value === 'function') Object.assign(pdfium, { [`_${name}`]: value });
  pdfium._FPDF_InitLibrary();
  return pdfium;
}

function openingError(code: number): AppError {
  if (code === PASSWORD_ERROR || code === SECURITY_ERROR) {
    return new AppError('encrypted', 'The PDF is protected by a password. Remove the protection and upload it again.');
  }
  return new AppError('unreadable', 'The PDF is damaged or cut off. Upload it again, or print it to a new PDF first.');
}

function metaText(pdfium: Pdfium, document: number, tag: string): string {
  const name = pdfium._malloc(tag.length + 1);
  pdfium.HEAPU8.set(Buffer.from(`${tag}\0`, 'latin1'), name);
  const sizeBytes = pdfium._FPDF_GetMetaText(document, name, 0, 0);
  const buffer = pdfium._malloc(sizeBytes);
  pdfium._FPDF_GetMetaText(document, name, buffer, sizeBytes);
  const text = utf16(pdfium, buffer, Math.max(0, sizeBytes - 2));
  pdfium._free(buffer);
  pdfium._free(name);
  return text;
}
