/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { readFile } from 'node:fs/promises';
import { AppError } from '../../domain/app-error.ts';

/** A line as pdfium tells it, in its order. Points, from the lower left corner of the page. */
export type PdfLine = {
  /** U+FFFE stands where a word was broken by a hyphen at a line end; the physical lines around it are one here. */
  text: string;
  first: Box;
  last: Box;
};
export type Box = { left: number; top: number; right: number; bottom: number };

export type PdfFile = {
  pageCount: number;
  title: string;
  /** The lines of a page, counted from 0; null when the page is damaged. */
  lines(page: number): PdfLine[] | null;
  close(): void;
};

/** What is used of pdfium's C interface (fpdfview.h, fpdf_text.h, fpdf_doc.h); pointers and handles are numbers. */
type Pdfium = {
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
};

const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;
const NO_BOX: Box = { left: 0, top: 0, right: 0, bottom: 0 };

let loading: Promise<Pdfium> | null = null;

/** @throws AppError `encrypted`, `unreadable`. */
export async function openPdf(path: string): Promise<PdfFile> {
  loading ??= load();
  const pdfium = await loading;
  const bytes = await readFile(path);
  const data = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  if (document === 0) {
    const code = pdfium._FPDF_GetLastError();
    pdfium._free(data);
    throw openingError(code);
  }
  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    title: metaText(pdfium, document, 'Title'),
    lines: (page) => pageLines(pdfium, document, page),
    close: () => {
      pdfium._FPDF_CloseDocument(document);
      pdfium._free(data);
    },
  };
}

/** Forgets the instance; after a trap inside WebAssembly its memory cannot be trusted. */
export function discardPdfium(): void {
  loading = null;
}

async function load(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  // The package's types name a part of the functions that its module has.
  const pdfium = (await PDFiumModule({})) as unknown as Pdfium;
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

function pageLines(pdfium: Pdfium, document: number, index: number): PdfLine[] | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const textPage = pdfium._FPDFText_LoadPage(page);
  try {
    return textPage === 0 ? null : linesOf(pdfium, textPage);
  } finally {
    if (textPage !== 0) pdfium._FPDFText_ClosePage(textPage);
    pdfium._FPDF_ClosePage(page);
  }
}

function linesOf(pdfium: Pdfium, textPage: number): PdfLine[] {
  const count = pdfium._FPDFText_CountChars(textPage);
  if (count <= 0) return [];
  const buffer = pdfium._malloc((count + 1) * 2);
  const rectangle = pdfium._malloc(16);
  const written = pdfium._FPDFText_GetText(textPage, 0, count, buffer);
  const text = utf16(pdfium, buffer, Math.max(0, written - 1) * 2);
  const boxAt = (textIndex: number): Box => {
    const charIndex = pdfium._FPDFText_GetCharIndexFromTextIndex(textPage, textIndex);
    if (charIndex < 0 || pdfium._FPDFText_GetLooseCharBox(textPage, charIndex, rectangle) === 0) return NO_BOX;
    const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.HEAPF32.subarray(rectangle / 4, rectangle / 4 + 4);
    return { left, top, right, bottom };
  };
  const lines: PdfLine[] = [];
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const indent = line.length - line.trimStart().length;
    const length = line.trimEnd().length;
    if (length === 0) continue;
    lines.push({ text: line.slice(indent), first: boxAt(index + indent), last: boxAt(index + length - 1) });
  }
  pdfium._free(rectangle);
  pdfium._free(buffer);
  return lines;
}

function utf16(pdfium: Pdfium, pointer: number, sizeBytes: number): string {
  return Buffer.from(pdfium.HEAPU8.buffer, pointer, sizeBytes).toString('utf16le');
}
