/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { readFileSync } from 'node:fs';
import { AppError } from '#domain/app-error.ts';
import { openFormFields } from './form-fields.ts';
import { renderPage } from './render-page.ts';
import { readPage } from './read-page.ts';
import { readHiddenLayers } from '#providers/readers/pdf/objects/hidden-layers.ts';
import type { PdfPage } from '#providers/readers/pdf/page.ts';
import { decodeUtf16, type Pdfium } from './pdfium.ts';

export type PdfFile = {
  pageCount: number;
  title: string;
  /** Reads a page, counted from 0; null when it is damaged. */
  readPage(index: number): PdfPage | null;
  /** Renders a page as a gray image; null when it cannot be rendered. */
  renderPage(index: number): Uint8Array | null;
  close(): void;
};

const PASSWORD_ERROR = 4;

const SECURITY_ERROR = 5;

let loading: Promise<Pdfium> | null = null;

/** Opens a PDF document. @throws AppError `encrypted`, `unreadable`. */
export async function openPdfFile(path: string): Promise<PdfFile> {
  loading ??= loadPdfium();
  const pdfium = await loading;
  // Synchronous: the process has nothing else to do meanwhile.
  const bytes = readFileSync(path);
  const data = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  if (document === 0) {
    const code = pdfium._FPDF_GetLastError();
    pdfium._free(data);
    throw openingError(code);
  }
  const hiddenLayers = readHiddenLayers(bytes);
  const { form, close: closeForm } = openFormFields(pdfium, document);
  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    title: readMetaText(pdfium, document, 'Title'),
    readPage: (index) => readPage(pdfium, { document, form, hiddenLayers }, index),
    renderPage: (index) => renderPage(pdfium, document, index),
    close: () => {
      closeForm();
      pdfium._FPDF_CloseDocument(document);
      pdfium._free(data);
    },
  };
}

/**
 * Opens a document, passes it to `use` and closes it.
 * @throws AppError `encrypted`, `unreadable`; errors of `use`.
 */
export async function withPdfFile<Result>(path: string, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
  try {
    const file = await openPdfFile(path);
    const result = await use(file).catch((error: unknown) => {
      if (error instanceof AppError) file.close();
      throw error;
    });
    file.close();
    return result;
  } catch (error) {
    // After a trap inside WebAssembly its memory is not trustworthy: the next document gets another instance.
    if (!(error instanceof AppError)) loading = null;
    throw error;
  }
}

async function loadPdfium(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  // The types of the package declare only some of the functions of the module.
  const pdfium = (await PDFiumModule({})) as unknown as Pdfium & { wasmExports: Record<string, unknown> };
  // Call the exports directly: a document takes tens of thousands of calls, and the wrappers of the debug build check
  // each one.
  for (const [name, value] of Object.entries(pdfium.wasmExports))
    if (typeof value === 'function') Object.assign(pdfium, { [`_${name}`]: value });
  pdfium._FPDF_InitLibrary();
  return pdfium;
}

function openingError(code: number): AppError {
  if (code === PASSWORD_ERROR || code === SECURITY_ERROR) {
    return new AppError('encrypted', 'The PDF is protected by a password. Remove the password and upload it again.');
  }
  return new AppError(
    'unreadable',
    'The PDF is damaged or truncated. Upload it again, or print it to a new PDF and upload that.',
  );
}

function readMetaText(pdfium: Pdfium, document: number, tag: string): string {
  const name = pdfium._malloc(tag.length + 1);
  pdfium.HEAPU8.set(Buffer.from(`${tag}\0`, 'latin1'), name);
  const sizeBytes = pdfium._FPDF_GetMetaText(document, name, 0, 0);
  const buffer = pdfium._malloc(sizeBytes);
  pdfium._FPDF_GetMetaText(document, name, buffer, sizeBytes);
  const text = decodeUtf16(pdfium, buffer, Math.max(0, sizeBytes - 2));
  pdfium._free(buffer);
  pdfium._free(name);
  return text;
}
