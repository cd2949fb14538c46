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
  EMAIL,
  ODP,
  ODS,
  ODT,
  PPTX,
  mediaTypeOfName,
  TIFF,
  XLSB,
  XLSX,
} from '#providers/readers/shared/media-types.ts';
import { KNOWN_FORMATS } from './known-formats.ts';
import { typeMismatchNotes } from './type-mismatch.ts';
import { readZipDirectory } from '#providers/readers/shared/zip/zip-directory.ts';

/** Bytes at the beginning of a file that detection reads. */
const SNIFFED_BYTES = 64 * 1024;

export type TypeHints = {
  /** Name of the upload; empty without one. */
  name: string;
  /** Media type that the client declared, if any; used only when the content does not decide. */
  declaredType?: string | null;
};

export type DetectedType = {
  mediaType: string;
  /** For `file_data`, when the content does not match the name. */
  notes: Readonly<Record<string, string>>;
};

/** With a larger share of control characters a sample is not text. */
const MAX_CONTROL_SHARE = 0.02;
/**
 * Binary formats that are ASCII at the beginning, or throughout; other signatures in clean text are coincidence (`BM`,
 * `MZ`).
 */
const ASCII_SIGNATURES = new Set([
  'application/pdf',
  'application/rtf',
  'application/postscript',
  'application/eps',
  // An archive of texts, whose headers have a checksum.
  'application/x-tar',
]);
const ZIP = 'application/zip';
const PDF = 'application/pdf';
const TIFF_MARKS: readonly (readonly number[])[] = [
  [0x49, 0x49, 0x2a, 0],
  [0x4d, 0x4d, 0, 0x2a],
];
/** Bytes that may come before the header of a PDF document (ISO 32000-1, annex H, implementation note 13). */
const MAX_PDF_OFFSET = 1024;
const PDF_HEADER = /%PDF-[12]\.\d\s/;
const PDF_HEADER_LENGTH = 9;
const PDF_OBJECT = /\s\d{1,10} \d{1,5} obj\b/;
/** Folders that identify Office packages. */
const PACKAGE_FOLDERS: readonly (readonly [folder: string, mediaType: string])[] = [
  ['word/', DOCX],
  ['xl/', XLSX],
  ['ppt/', PPTX],
];
/** The workbook of an `.xlsb` file, which is otherwise like one of Excel. */
const BINARY_WORKBOOK_PART = /^xl\/workbook\.bin$/i;
/** Templates, slide shows and documents with macros are read like the plain formats; macros are never read. */
const TYPE_VARIANTS: readonly (readonly [pattern: RegExp, mediaType: string])[] = [
  [/^application\/vnd\.(?:ms-word\.|openxmlformats-officedocument\.wordprocessingml\.)/, DOCX],
  [/^application\/vnd\.(?:ms-excel\.(?:sheet|template)\.m|openxmlformats-officedocument\.spreadsheetml\.)/, XLSX],
  [/^application\/vnd\.(?:ms-powerpoint\.|openxmlformats-officedocument\.presentationml\.)/, PPTX],
  [/^application\/vnd\.oasis\.opendocument\.text/, ODT],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, ODS],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, ODP],
  [/^image\/apng$/, 'image/png'],
];

/**
 * Detects the media type from the first bytes (up to `SNIFFED_BYTES`) and the size of the file; name and declared type
 * decide only between texts that look alike.
 * @throws AppError `empty_file`; `unsupported_type` for bytes that are neither text nor a known format.
 */
export async function detectType(head: Uint8Array, sizeBytes: number, hints: TypeHints): Promise<DetectedType> {
  if (sizeBytes === 0) throw new AppError('empty_file', 'The file is empty. Upload a file with content.');
  const nameType = mediaTypeOfName(hints.name);
  const mediaType = await typeOfContent(head, sizeBytes, { ...hints, nameType });
  return { mediaType, notes: typeMismatchNotes(hints.name, mediaType) };
}

/** Whether `detectFileType` must look at the whole file to confirm this type. */
export function needsWholeFile(mediaType: string): boolean {
  return mediaType === ZIP || mediaType === COMPOUND_FILE || PACKAGE_FOLDERS.some(([, type]) => type === mediaType);
}

/**
 * `detectType` for a file on disk. Also distinguishes Office packages of any size, and the types of binary Office
 * documents.
 */
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
    const isBinaryWorkbook = entries.some(({ name }) => BINARY_WORKBOOK_PART.test(name));
    const found = PACKAGE_FOLDERS.find(([folder]) => entries.some(({ name }) => name.startsWith(folder)))?.[1];
    const mediaType = isBinaryWorkbook ? XLSB : (found ?? ZIP);
    return { mediaType, notes: typeMismatchNotes(hints.name, mediaType) };
  } finally {
    await file.close();
  }
}

async function typeOfContent(
  head: Uint8Array,
  sizeBytes: number,
  hints: TypeHints & { nameType: string | null },
): Promise<string> {
  const signature = await signatureOf(head);
  if (signature === null && hasLatePdfHeader(head, hints)) return PDF;
  if (looksLikeText(head)) {
    if (signature !== null && ASCII_SIGNATURES.has(signature)) return signature;
    return detectTextType(head, sizeBytes, hints);
  }
  // A package whose content types are beyond the sample looks like any archive.
  if (signature === ZIP && PACKAGE_FOLDERS.some(([, type]) => type === hints.nameType)) return hints.nameType ?? ZIP;
  if (signature !== null) return signature;
  throw new AppError(
    'unsupported_type',
    `The content is neither text nor a known format. Upload one of: ${KNOWN_FORMATS}.`,
  );
}

/**
 * Whether a PDF document begins within the first 1,024 bytes, as viewers allow: after the headers of a download or the commands of a
 * printer. A text that shows the source of a PDF is one only if its name or declared type says nothing else.
 */
function hasLatePdfHeader(
  head: Uint8Array,
  { nameType, declaredType }: TypeHints & { nameType: string | null },
): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const start = PDF_HEADER.exec(bytes.toString('latin1', 0, MAX_PDF_OFFSET + PDF_HEADER_LENGTH))?.index;
  if (start === undefined || !PDF_OBJECT.test(bytes.toString('latin1', start))) return false;
  if (nameType === PDF || !looksLikeText(head)) return nameType !== EMAIL;
  return nameType === null || declaredType?.startsWith(PDF) === true;
}

async function signatureOf(head: Uint8Array): Promise<string | null> {
  try {
    const found = await fileTypeFromBuffer(head);
    // The library reads the directory of an image, which may be behind the pixels, far beyond the sample.
    if (!found) return TIFF_MARKS.some((mark) => mark.every((byte, at) => head[at] === byte)) ? TIFF : null;
    // The library reports Outlook folders with the type of Outlook messages.
    if (found.ext === 'pst') return 'application/x-outlook-folders';
    return TYPE_VARIANTS.find(([pattern]) => pattern.test(found.mime))?.[1] ?? found.mime;
  } catch {
    // The file is truncated within its header.
    return null;
  }
}

/**
 * Whether the sample is text in any encoding: with a byte order mark, UTF-8, UTF-16, or with almost no control
 * characters.
 */
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
