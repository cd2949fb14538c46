import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { AppError } from '#domain/app-error.ts';
import { compoundFileType } from '#providers/readers/shared/compound-file.ts';
import { charsetOfByteOrderMark, detectUtf16WithoutMark } from '#providers/readers/shared/decode-text.ts';
import { detectTextType } from './detect-text-type.ts';
import {
  COMPOUND_FILE,
  DOCX,
  ODP,
  ODS,
  ODT,
  PPTX,
  mediaTypeOfName,
  XLSX,
} from '#providers/readers/shared/media-types.ts';
import { typeMismatchNotes } from './type-mismatch.ts';
import { readZipDirectory } from '#providers/readers/shared/zip-directory.ts';

/** How much of the beginning of a file detection looks at. */
const SNIFFED_BYTES = 64 * 1024;

export type TypeHints = {
  /** Name as uploaded; empty where there is none. */
  name: string;
  /** Media type that the client declared for it, if any; believed only where content cannot tell. */
  declaredType?: string | null;
};

export type DetectedType = {
  mediaType: string;
  /** For `file_data`, when the content is not what the name says. */
  notes: Readonly<Record<string, string>>;
};

/** More control characters than this share of a sample are not text. */
const MAX_CONTROL_SHARE = 0.02;
/** Binary formats that are ASCII at the beginning, or wholly; other signatures in clean text are coincidence (`BM`, `MZ`). */
const ASCII_SIGNATURES = new Set(['application/pdf', 'application/rtf', 'application/postscript', 'application/eps']);
const ZIP = 'application/zip';
/** Folders by which Office packages are told. */
const PACKAGES: readonly (readonly [folder: string, mediaType: string])[] = [
  ['word/', DOCX],
  ['xl/', XLSX],
  ['ppt/', PPTX],
];
/** Templates, shows and documents with macros are read like the plain ones; macros are never looked at. */
const VARIANTS: readonly (readonly [pattern: RegExp, mediaType: string])[] = [
  [/^application\/vnd\.(?:ms-word\.|openxmlformats-officedocument\.wordprocessingml\.)/, DOCX],
  [/^application\/vnd\.(?:ms-excel\.(?:sheet|template)\.m|openxmlformats-officedocument\.spreadsheetml\.)/, XLSX],
  [/^application\/vnd\.(?:ms-powerpoint\.|openxmlformats-officedocument\.presentationml\.)/, PPTX],
  [/^application\/vnd\.oasis\.opendocument\.text/, ODT],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, ODS],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, ODP],
  [/^image\/apng$/, 'image/png'],
];

/**
 * Tells the media type from the first bytes (`SNIFFED_BYTES` of them, or all) and the size of the file; name and
 * declared type decide only between texts that look alike.
 * @throws AppError `empty_file`; `unsupported_type` for bytes that are neither text nor a known format.
 */
export async function detectType(head: Uint8Array, sizeBytes: number, hints: TypeHints): Promise<DetectedType> {
  if (sizeBytes === 0) throw new AppError('empty_file', 'The file is empty. Upload a file with content.');
  const promised = mediaTypeOfName(hints.name);
  const mediaType = await typeOfContent(head, sizeBytes, { ...hints, promised });
  return { mediaType, notes: typeMismatchNotes(hints.name, mediaType) };
}

/** True for what only the whole file tells: see `detectFileType`. */
export function needsWholeFile(mediaType: string): boolean {
  return mediaType === ZIP || mediaType === COMPOUND_FILE || PACKAGES.some(([, type]) => type === mediaType);
}

/** `detectType` for a file on disk; tells Office packages of any size, and kinds of binary Office documents, apart. */
export async function detectFileType(path: string, hints: TypeHints): Promise<DetectedType> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(size, SNIFFED_BYTES));
    await file.read(head, 0, head.length, 0);
    const detected = await detectType(head, size, hints);
    if (!needsWholeFile(detected.mediaType)) return detected;
    if (detected.mediaType === COMPOUND_FILE) {
      const kind = (await compoundFileType(file)) ?? COMPOUND_FILE;
      return { mediaType: kind, notes: kind === COMPOUND_FILE ? {} : typeMismatchNotes(hints.name, kind) };
    }
    const entries = await readZipDirectory(path);
    if (entries === null) return detected;
    const mediaType = PACKAGES.find(([folder]) => entries.some(({ name }) => name.startsWith(folder)))?.[1] ?? ZIP;
    return { mediaType, notes: typeMismatchNotes(hints.name, mediaType) };
  } finally {
    await file.close();
  }
}

async function typeOfContent(
  head: Uint8Array,
  sizeBytes: number,
  hints: TypeHints & { promised: string | null },
): Promise<string> {
  const signature = await signatureOf(head);
  if (looksLikeText(head)) {
    if (signature !== null && ASCII_SIGNATURES.has(signature)) return signature;
    return detectTextType(head, sizeBytes, hints);
  }
  // A package whose content type lies beyond the sample looks like any archive.
  if (signature === ZIP && PACKAGES.some(([, type]) => type === hints.promised)) return hints.promised ?? ZIP;
  if (signature !== null) return signature;
  throw new AppError(
    'unsupported_type',
    'The content is neither text nor a format that is known. Upload PDF, Word (docx), HTML, Markdown, CSV, JSON or plain text.',
  );
}

async function signatureOf(head: Uint8Array): Promise<string | null> {
  try {
    const found = await fileTypeFromBuffer(head);
    if (!found) return null;
    // Outlook's folders go by the type of its messages there.
    if (found.ext === 'pst') return 'application/x-outlook-folders';
    return VARIANTS.find(([pattern]) => pattern.test(found.mime))?.[1] ?? found.mime;
  } catch {
    // A file that is cut off within its header.
    return null;
  }
}

/** True for text in any encoding: marked, UTF-8, UTF-16, or bytes with next to no control characters. */
function looksLikeText(head: Uint8Array): boolean {
  if (charsetOfByteOrderMark(head) !== null || detectUtf16WithoutMark(head) !== null) return true;
  let controls = 0;
  for (const byte of head) if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls += 1;
  if (controls / head.length > MAX_CONTROL_SHARE) return false;
  return controls === 0 || isUtf8(head.subarray(0, lastWholeCharacter(head)));
}

/** The sample may end within a character; UTF-8 continues it in bytes of the form 10xxxxxx. */
function lastWholeCharacter(head: Uint8Array): number {
  let end = head.length;
  while (end > 0 && head.length - end < 4 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Math.max(0, end - 1);
}
