import { readFile, stat } from 'node:fs/promises';
import { AppError } from '../../domain/app-error.ts';
import type { Reader } from '../../domain/reader.ts';
import { describeType, IMAGE_TYPES } from './media-types.ts';
import { TextBuilder } from './text-builder.ts';

const MAX_PIXELS = 80_000_000;
const MAX_BYTES = 100 * 1024 * 1024;

/** Pictures of text, by OCR with packaged (English) language data. @throws AppError `no_text` where none is recognised. */
export const imageReader: Reader = {
  name: 'image',
  mediaTypes: IMAGE_TYPES,
  async read({ path, mediaType }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw tooLarge();
    const bytes = await readFile(path);
    const { width, height } = await sizeOf(bytes, mediaType);
    if (width * height > MAX_PIXELS) throw tooLarge();
    const { recognize } = await import('./tesseract.ts');
    const found = await recognize(bytes);
    if (!found) throw damaged(mediaType);
    if (found.text === '') {
      throw new AppError(
        'no_text',
        'No text was recognised in the picture. Upload a sharper one, or a document with text.',
      );
    }
    const notes = { width, height, ocr: true, ocr_confidence: found.confidence };
    return new TextBuilder(maxTextBytes).append(`${found.text}\n`).build(notes);
  },
};

/** From the header alone: a small file may claim any size. */
async function sizeOf(bytes: Uint8Array, mediaType: string): Promise<{ width: number; height: number }> {
  const { imageSize } = await import('image-size');
  try {
    return imageSize(bytes);
  } catch (error) {
    throw damaged(mediaType, error);
  }
}

function damaged(mediaType: string, cause?: unknown): AppError {
  return new AppError(
    'unreadable',
    `The file begins as ${describeType(mediaType)}, but is damaged or cut off. Upload it again.`,
    {
      cause,
    },
  );
}

function tooLarge(): AppError {
  return new AppError(
    'read_memory_limit',
    `The picture has more than ${MAX_PIXELS / 1_000_000} million pixels or is larger than ${MAX_BYTES / 1024 / 1024} MiB. Upload a smaller one.`,
  );
}
