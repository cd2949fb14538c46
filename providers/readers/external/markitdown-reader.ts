import { readFile, stat } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { DOCX, XLSX } from '#providers/readers/shared/media-types.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { assertInflatedSize, readZipDirectory } from '#providers/readers/shared/zip/zip-directory.ts';

const MARKUP_RATIO = 8;
/** The extensions by which markitdown-ts identifies formats. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', '.pdf'],
  [DOCX, '.docx'],
  [XLSX, '.xlsx'],
  ['text/html', '.html'],
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['text/markdown', '.md'],
  ['text/plain', '.txt'],
]);

/** Whether the package, which `npm ci` does not install, is there. */
export function isMarkitdownInstalled(): boolean {
  try {
    import.meta.resolve('markitdown-ts');
    return true;
  } catch {
    return false;
  }
}

export function markitdownNotInstalledError(cause?: unknown): AppError {
  const message =
    'MarkItDown is not installed. Use the reader native, or ask the operator to run `npm install --no-save markitdown-ts@0.0.10` for API and worker.';
  return new AppError('reader_unavailable', message, { cause });
}

/** Converts documents to Markdown with markitdown-ts, a port of MarkItDown, where that is installed. */
export const markitdownReader: Reader = {
  name: 'markitdown',
  mediaTypes: [...EXTENSIONS.keys()],
  async read({ path, mediaType }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    if (mediaType === DOCX || mediaType === XLSX) {
      const entries = await readZipDirectory(path);
      if (entries === null) throw damagedError();
      assertInflatedSize(entries, maxTextBytes * MARKUP_RATIO);
    }
    const markdown = await convert(await readFile(path), EXTENSIONS.get(mediaType) ?? '.txt');
    return new TextBuilder(maxTextBytes).append(markdown).build();
  },
};

/** A placeholder for browser classes that are referenced but never used. */
function Absent(): void {}

async function convert(bytes: Buffer, extension: string): Promise<string> {
  // Its PDF library references drawing classes of browsers when it is loaded; text extraction does not use them.
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) {
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: Absent });
  }
  const { MarkItDown } = await import('markitdown-ts').catch((error: unknown) => {
    throw isMarkitdownInstalled() ? error : markitdownNotInstalledError(error);
  });
  const result = await new MarkItDown().convertBuffer(bytes, { file_extension: extension }).catch((error: unknown) => {
    throw damagedError(error);
  });
  if (!result) throw damagedError();
  return result.markdown;
}

function damagedError(cause?: unknown): AppError {
  const message =
    'MarkItDown could not convert the document: it is damaged or protected. Use the reader native, or save the document again and upload it.';
  return new AppError('unreadable', message, { cause });
}
