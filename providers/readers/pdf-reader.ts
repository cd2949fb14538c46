import { AppError } from '../../domain/app-error.ts';
import type { ReadDocument, Reader } from '../../domain/reader.ts';
import { measureLayout } from './pdf-headings.ts';
import { joinBrokenWords, layOutPage } from './pdf-layout.ts';
import { withoutRunningLines } from './pdf-running-lines.ts';
import { pageItems } from './pdf-tables.ts';
import { discardPdfium, openPdf, type PdfFile } from './pdfium.ts';
import { TextBuilder } from './text-builder.ts';

const MAX_TITLE_LENGTH = 300;

/** PDF documents with a text layer, by pdfium: words in its order, page starts, paragraphs and headings by layout. */
export const pdfReader: Reader = {
  name: 'pdf',
  mediaTypes: ['application/pdf'],
  async read({ path }, { maxTextBytes }) {
    try {
      const file = await openPdf(path);
      const document = readPages(file, maxTextBytes);
      file.close();
      return document;
    } catch (error) {
      if (!(error instanceof AppError && (error.code === 'encrypted' || error.code === 'unreadable'))) discardPdfium();
      throw error;
    }
  },
};

function readPages(file: PdfFile, maxTextBytes: number): ReadDocument {
  const pages = Array.from({ length: file.pageCount }, (_, index) => file.page(index));
  const readable = pages.filter((page) => page !== null);
  if (readable.length === 0) {
    throw new AppError('unreadable', 'No page of the PDF can be read. Print it to a new PDF and upload that.');
  }
  const withText = readable.filter(({ lines }) => lines.length > 0);
  if (withText.length === 0) throw noTextError(file.pageCount);
  const builder = new TextBuilder(maxTextBytes);
  const texts = withoutRunningLines(pages);
  const layout = measureLayout(withText.map(({ lines }) => lines));
  for (const [index, page] of pages.entries()) {
    builder.startPage(index + 1);
    const lines = texts[index] ?? [];
    if (!page || lines.length === 0) continue;
    const text = layOutPage(pageItems({ ...page, lines }), layout);
    builder.append(`${joinBrokenWords(text).trim()}\n\n`);
  }
  const title = file.title.trim().slice(0, MAX_TITLE_LENGTH);
  return builder.build({
    page_count: file.pageCount,
    ...(title === '' ? {} : { title }),
    ...(withText.length === readable.length ? {} : { pages_without_text: readable.length - withText.length }),
    ...(readable.length === pages.length ? {} : { unreadable_pages: pages.length - readable.length }),
  });
}

function noTextError(pageCount: number): AppError {
  const pages = pageCount === 1 ? 'Its only page is an image' : `All ${pageCount} pages are images`;
  return new AppError(
    'no_text',
    `The PDF holds no text. ${pages}, and this reader recognises none in images (no OCR). Upload a PDF with a text layer.`,
  );
}
