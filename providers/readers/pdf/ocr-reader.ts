import { AppError } from '#domain/app-error.ts';
import type { ReadDocument, Reader, ReadLimits } from '#domain/reader.ts';
import { imageReader } from '#providers/readers/images/image-reader.ts';
import { IMAGE_TYPES } from '#providers/readers/shared/media-types.ts';
import { recognizePages } from '#providers/readers/images/recognize-pages.ts';
import { type PdfFile, withPdfFile } from '#providers/readers/pdf/pdfium/pdf-file.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

/**
 * Reads images, and PDF documents by OCR of every page even when they have a text layer: for text layers that are
 * wrong.
 */
export const ocrReader: Reader = {
  name: 'ocr',
  mediaTypes: ['application/pdf', ...IMAGE_TYPES],
  read: (input, limits) =>
    input.mediaType === 'application/pdf'
      ? withPdfFile(input.path, (file) => readPages(file, limits))
      : imageReader.read(input, limits),
};

async function readPages(file: PdfFile, { maxTextBytes, timeoutMs }: ReadLimits): Promise<ReadDocument> {
  const pages = Array.from({ length: file.pageCount }, (_, page) => page);
  const { texts, confidence, leftOut } = await recognizePages(file, pages, timeoutMs);
  if (![...texts.values()].some((text) => text !== '')) {
    throw new AppError('no_text', 'No text was recognized on the pages of the PDF. Upload a sharper scan.');
  }
  const builder = new TextBuilder(maxTextBytes);
  for (const [page, text] of texts) builder.startPage(page + 1).append(text === '' ? '' : `${text}\n\n`);
  return builder.build({
    page_count: pages.length,
    ocr: true,
    ocr_confidence: confidence,
    ...(leftOut === 0 ? {} : { pages_not_recognised: leftOut }),
  });
}
