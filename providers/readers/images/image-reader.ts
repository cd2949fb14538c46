import { readFile, stat } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { ReadDocument, Reader, ReadLimits } from '#domain/reader.ts';
import { describeType, IMAGE_TYPES, TIFF } from '#providers/readers/shared/media-types.ts';
import { recognizePages } from './recognize-pages.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { selectTiffPage, tiffPages } from './tiff-pages.ts';

const MAX_PIXELS = 80_000_000;
const MAX_BYTES = 100 * 1024 * 1024;

/**
 * Reads images of text by OCR with packaged English language data; of TIFF files all pages. @throws AppError `no_text`
 * when no text is recognized.
 */
export const imageReader: Reader = {
  name: 'image',
  mediaTypes: IMAGE_TYPES,
  async read({ path, mediaType }, limits) {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw tooLargeError();
    const bytes = await readFile(path);
    const pages = mediaType === TIFF ? tiffPages(bytes) : [];
    if (pages.length > 1) return readPages(bytes, pages, limits);
    const { width, height } = await sizeOf(bytes, mediaType);
    if (width * height > MAX_PIXELS) throw tooLargeError();
    const { recognizeText } = await import('./recognize-text.ts');
    const found = await recognizeText(bytes);
    if (!found) throw damagedError(mediaType);
    if (found.text === '') throw noTextError('in the image');
    const notes = { width, height, ocr: true, ocr_confidence: found.confidence };
    return new TextBuilder(limits.maxTextBytes).append(`${found.text}\n`).build(notes);
  },
};

/** A page that is too large or damaged is skipped like a page without text. */
async function readPages(bytes: Buffer, offsets: readonly number[], limits: ReadLimits): Promise<ReadDocument> {
  const { imageSize } = await import('image-size');
  const renderPage = (page: number): Uint8Array | null => {
    selectTiffPage(bytes, offsets[page] ?? 0);
    try {
      const { width, height } = imageSize(bytes);
      return width * height <= MAX_PIXELS ? bytes : null;
    } catch {
      return null;
    }
  };
  const { texts, confidence, leftOut } = await recognizePages({ renderPage }, [...offsets.keys()], limits.timeoutMs);
  const found = [...texts.values()].filter((text) => text !== '').length;
  if (found === 0) throw noTextError(`on any of its ${offsets.length} pages`);
  const builder = new TextBuilder(limits.maxTextBytes);
  for (const [page, text] of texts) builder.startPage(page + 1).append(text === '' ? '' : `${text}\n\n`);
  return builder.build({
    page_count: offsets.length,
    ocr: true,
    ocr_pages: found,
    ocr_confidence: confidence,
    ...(leftOut === 0 ? {} : { pages_not_recognised: leftOut }),
  });
}

function noTextError(where: string): AppError {
  return new AppError('no_text', `No text was recognized ${where}. Upload a sharper image, or a document with text.`);
}

/** Reads the header only: a small file may claim any size. */
async function sizeOf(bytes: Uint8Array, mediaType: string): Promise<{ width: number; height: number }> {
  const { imageSize } = await import('image-size');
  try {
    return imageSize(bytes);
  } catch (error) {
    throw damagedError(mediaType, error);
  }
}

function damagedError(mediaType: string, cause?: unknown): AppError {
  return new AppError(
    'unreadable',
    `The file begins like ${describeType(mediaType)}, but is damaged or truncated. Upload it again.`,
    {
      cause,
    },
  );
}

function tooLargeError(): AppError {
  return new AppError(
    'read_memory_limit',
    `The image has more than ${MAX_PIXELS / 1_000_000} million pixels or is larger than ${MAX_BYTES / 1024 / 1024} MiB. Upload a smaller one.`,
  );
}
