import { AppError } from '#domain/app-error.ts';
import type { ReadDocument, Reader, ReadLimits } from '#domain/reader.ts';
import { hasCodeBlocks } from './code-blocks.ts';
import { markContinuedTables, type PlacedItems } from './continued-tables.ts';
import { measureDocumentStyle } from './headings.ts';
import { joinHyphenatedWords, renderPageMarkdown } from './page-markdown.ts';
import { recognizePages } from '#providers/readers/images/recognize-pages.ts';
import { removeRunningLines } from './running-lines.ts';
import { setSlantedLinesApart } from './slanted-lines.ts';
import { isTable, type PageItem, pageItems } from './page-items.ts';
import type { PdfLine, PdfPage } from './page.ts';
import { type PdfFile, withPdfFile } from '#providers/readers/pdf/pdfium/pdf-file.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

const MAX_TITLE_LENGTH = 300;
const EMPTY_PAGE: PlacedItems = { height: 0, items: [] };

/**
 * Reads PDF documents with pdfium: page starts, paragraphs, headings, columns and tables by layout. Scanned pages are
 * read by OCR.
 */
export const pdfReader: Reader = {
  name: 'pdf',
  mediaTypes: ['application/pdf'],
  read: ({ path }, limits) => withPdfFile(path, (file) => readPages(file, limits)),
};

async function readPages(file: PdfFile, { maxTextBytes, timeoutMs }: ReadLimits): Promise<ReadDocument> {
  const pages = Array.from({ length: file.pageCount }, (_, index) => file.readPage(index));
  const readable = pages.filter((page) => page !== null);
  if (readable.length === 0) {
    throw new AppError('unreadable', 'No page of the PDF can be read. Print it to a new PDF and upload that.');
  }
  const withText = readable.filter(({ lines }) => lines.length > 0);
  const imagePages = [...pages.keys()].filter((index) => pages[index]?.isImage === true);
  const recognized = imagePages.length === 0 ? null : await recognizePages(file, imagePages, timeoutMs);
  const found = [...(recognized?.texts.values() ?? [])].filter((text) => text !== '').length;
  if (withText.length + found === 0) throw noTextError(file.pageCount);
  const builder = new TextBuilder(maxTextBytes);
  const { straight, slanted } = setSlantedLinesApart(pages);
  const texts = removeRunningLines(straight);
  if (!hasCodeBlocks(texts))
    for (const line of [...texts.flat(), ...withText.flatMap(({ lines }) => lines)]) line.isMonospaced = false;
  const style = measureDocumentStyle(straight.map((page) => page?.lines ?? []));
  const items = markContinuedTables(pages.map((page, index) => placedItems(page, texts[index] ?? [])));
  for (const index of pages.keys()) {
    builder.startPage(index + 1);
    const imageText = recognized?.texts.get(index) ?? '';
    if (imageText !== '') builder.append(`${imageText}\n\n`);
    const text = joinHyphenatedWords(renderPageMarkdown(items[index] ?? [], style)).trim();
    const apart = (slanted[index] ?? []).map((line) => line.text.trim());
    const parts = continuesTable(items[index]) ? [text, ...apart] : [...apart, text];
    const whole = parts.filter((part) => part !== '').join('\n\n');
    if (whole !== '') builder.append(`${whole}${continuesTable(items[index + 1]) ? '\n' : '\n\n'}`);
  }
  const title = file.title.trim().slice(0, MAX_TITLE_LENGTH);
  const withoutText = pages.filter(
    (page, index) => page?.lines.length === 0 && (recognized?.texts.get(index) ?? '') === '',
  ).length;
  return builder.build({
    page_count: file.pageCount,
    ...(title === '' ? {} : { title }),
    ...(found === 0 ? {} : { ocr_pages: found, ocr_confidence: recognized?.confidence ?? 0 }),
    ...(withoutText === 0 ? {} : { pages_without_text: withoutText }),
    ...(readable.length === pages.length ? {} : { unreadable_pages: pages.length - readable.length }),
  });
}

function placedItems(page: PdfPage | null, lines: PdfLine[]): PlacedItems {
  return page && lines.length > 0 ? { height: page.height, items: pageItems({ ...page, lines }) } : EMPTY_PAGE;
}

function continuesTable(items: readonly PageItem[] = []): boolean {
  const [first] = items;
  return first !== undefined && isTable(first) && first.isContinuation === true;
}

function noTextError(pageCount: number): AppError {
  const pages = pageCount === 1 ? 'its only page' : `any of its ${pageCount} pages`;
  return new AppError(
    'no_text',
    `The PDF has no text layer, and no text was recognized on ${pages} (OCR). Upload a sharper scan, or a PDF with text.`,
  );
}
