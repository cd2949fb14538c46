import { AppError } from '#domain/app-error.ts';
import type { PageStart, ReadDocument } from '#domain/reader.ts';

const ESCAPE = String.fromCharCode(27);
/** Colors and cursor movements of terminal logs (ANSI escape sequences). */
const TERMINAL_SEQUENCE = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
const LINE_END = /\r\n?|[\v\f\u0085\u2028]/g;
/** Control characters except tab and line feed, soft hyphens, stray byte order marks, and non-characters. */
const UNWANTED = /(?![\n\t])[\p{Cc}\u00AD\uFEFF\uFFFE\uFFFF]/gu;
const MAYBE_UNWANTED = /(?![\n\t])[\p{Cc}\u00AD\uFEFF\uFFFE\uFFFF\u2028]/u;

/** Text as a `ReadDocument` requires it: `\n` line ends, no control character except tab, no lone surrogate. */
export function cleanText(text: string): string {
  const cleaned = MAYBE_UNWANTED.test(text)
    ? text.replace(TERMINAL_SEQUENCE, '').replace(LINE_END, '\n').replace(UNWANTED, '')
    : text;
  return cleaned.isWellFormed() ? cleaned : cleaned.toWellFormed();
}

/** Collects the text of a document: cleans each part, and rejects a document that exceeds the limit. */
export class TextBuilder {
  readonly #maxTextBytes: number;
  readonly #pages: PageStart[] = [];
  #parts: string[] = [];
  #sizeBytes = 0;
  #length = 0;

  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes;
  }

  /** Length of the text so far, in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  /** @throws AppError `read_output_limit`. */
  append(part: string): this {
    const cleaned = cleanText(part);
    this.#sizeBytes += Buffer.byteLength(cleaned);
    if (this.#sizeBytes > this.#maxTextBytes) throw outputLimitError(this.#maxTextBytes);
    this.#length += cleaned.length;
    this.#parts.push(cleaned);
    return this;
  }

  /** Marks the position of the next append as the start of this page. */
  startPage(page: number): this {
    this.#pages.push({ page, start: this.#length });
    return this;
  }

  build(notes: ReadDocument['notes'] = {}): ReadDocument {
    return { text: this.#parts.join(''), pages: this.#pages, notes };
  }
}

export function outputLimitError(maxTextBytes: number): AppError {
  const limit = `${Math.floor(maxTextBytes / 1024 / 1024)} MiB`;
  return new AppError(
    'read_output_limit',
    `The file contains more than ${limit} of text. Split it into smaller files, or ask the operator to raise LOCI_MAX_TEXT_BYTES.`,
  );
}
