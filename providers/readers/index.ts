import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { archiveReader } from '#providers/readers/archives/archive-reader.ts';
import { csvReader } from '#providers/readers/text/csv-reader.ts';
import { docxReader } from '#providers/readers/office/docx-reader.ts';
import { emailReader } from '#providers/readers/archives/email-reader.ts';
import { epubReader } from '#providers/readers/office/epub-reader.ts';
import { htmlReader } from '#providers/readers/text/html-reader.ts';
import { imageReader } from '#providers/readers/images/image-reader.ts';
import { jsonReader } from '#providers/readers/text/json-reader.ts';
import { markdownReader } from '#providers/readers/text/markdown-reader.ts';
import { ARCHIVE_TYPES, COMPOUND_FILE, describeType, ENCRYPTED_OFFICE } from '#providers/readers/shared/media-types.ts';
import { notebookReader } from '#providers/readers/markup/notebook-reader.ts';
import { textMarkupReader } from '#providers/readers/markup/text-markup-reader.ts';
import { xmlDocumentReader } from '#providers/readers/markup/xml-document-reader.ts';
import { ocrReader } from '#providers/readers/pdf/ocr-reader.ts';
import { markitdownReader } from '#providers/readers/external/markitdown-reader.ts';
import { odfReader } from '#providers/readers/office/odf/odf-reader.ts';
import { pdfReader } from '#providers/readers/pdf/pdf-reader.ts';
import { pptxReader } from '#providers/readers/office/pptx-reader.ts';
import { rtfReader } from '#providers/readers/office/rtf-reader.ts';
import { textReader } from '#providers/readers/text/text-reader.ts';
import { unstructuredReader } from '#providers/readers/external/unstructured-reader.ts';
import { pptReader } from '#providers/readers/legacy/ppt-reader.ts';
import { docReader } from '#providers/readers/legacy/doc-reader.ts';
import { xlsReader } from '#providers/readers/legacy/xls-reader.ts';
import { xlsxReader } from '#providers/readers/office/sheets/xlsx-reader.ts';
import { KNOWN_FORMATS } from './known-formats.ts';

/**
 * Formats do not import one another: what several of them need is in `shared/`, which imports no format. The exceptions
 * are formats that contain another one: `pdf` imports `images` (scanned pages are images), and `archives` imports
 * `office` (Outlook messages have bodies in RTF), as `legacy` does (old workbooks have the cells of new ones). `external` imports the reader pool that it wraps.
 * `test/architecture/layers.test.ts` enforces this.
 */

/**
 * A choice of the `reader` field. `readers` are tried in order; `alsoReads` are types accepted because the user named
 * the reader.
 */
type ReaderChoice = { readers: readonly Reader[]; alsoReads: readonly string[] };

/**
 * The readers of `native`. A new format is a file and a line here. The text reader accepts the remaining `text/*`, so
 * it is last.
 */
export const FORMATS: readonly Reader[] = [
  pdfReader,
  docxReader,
  pptxReader,
  xlsxReader,
  xlsReader,
  docReader,
  pptReader,
  odfReader,
  epubReader,
  rtfReader,
  emailReader,
  archiveReader,
  imageReader,
  htmlReader,
  csvReader,
  jsonReader,
  notebookReader,
  xmlDocumentReader,
  textMarkupReader,
  markdownReader,
  textReader,
];

/** Texts that are parsed by other readers, and can be read as they are. */
const TEXT_ALSO_READS = [jsonReader, notebookReader, xmlDocumentReader].flatMap(({ mediaTypes }) => mediaTypes);

const CHOICES: ReadonlyMap<string, ReaderChoice> = new Map([
  ['native', { readers: FORMATS, alsoReads: [] }],
  ['markitdown', { readers: [markitdownReader], alsoReads: [] }],
  ['unstructured', { readers: [unstructuredReader], alsoReads: [] }],
  ['unstructured_hi_res', { readers: [unstructuredReader], alsoReads: [] }],
  ['unstructured_fast', { readers: [unstructuredReader], alsoReads: [] }],
  ['ocr', { readers: [ocrReader], alsoReads: [] }],
  ['pdf', { readers: [pdfReader], alsoReads: [] }],
  ['csv', { readers: [csvReader], alsoReads: ['text/plain'] }],
  ['docx', { readers: [docxReader], alsoReads: [] }],
  ['json', { readers: [jsonReader], alsoReads: ['text/plain'] }],
  ['markdown', { readers: [markdownReader], alsoReads: ['text/plain'] }],
  ['text', { readers: [textReader], alsoReads: TEXT_ALSO_READS }],
]);

/** Values of the upload field `reader`. */
export const READER_NAMES: readonly string[] = [...CHOICES.keys()];

/**
 * The reader for a name and a media type. Loads no parser: readers import theirs on first use, in the child process.
 * @throws AppError `unknown_reader`, `unsupported_type` (no reader reads the type), `type_mismatch` (another reader
 * does).
 */
export function resolveReader(readerName: string, mediaType: string): Reader {
  const choice = CHOICES.get(readerName);
  if (!choice) {
    throw new AppError('unknown_reader', `There is no reader with this name. Use one of: ${READER_NAMES.join(', ')}.`);
  }
  // A named reader applies to the files inside an archive.
  if (ARCHIVE_TYPES.includes(mediaType)) return archiveReader;
  if (mediaType === ENCRYPTED_OFFICE) throw encryptedError();
  const reader = choice.readers.find((candidate) => matchesMediaType(candidate.mediaTypes, mediaType));
  if (reader) return reader;
  const [first] = choice.readers;
  if (first && matchesMediaType(choice.alsoReads, mediaType)) return first;
  // A server that accepts any type says nothing about what this installation reads.
  const fitting = [...CHOICES].filter(([, other]) =>
    other.readers.some(({ mediaTypes }) => !mediaTypes.includes('*') && matchesMediaType(mediaTypes, mediaType)),
  );
  if (fitting.length === 0) throw unsupportedError(mediaType);
  const names = fitting.map(([name]) => name).join(', ');
  throw new AppError(
    'type_mismatch',
    `The file is ${describeType(mediaType)}, which reader "${readerName}" does not read. Use: ${names}.`,
  );
}

/** How to convert old formats that are common. */
const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  [COMPOUND_FILE, 'Save it as .docx, .xlsx or .pptx (in the program that created it: File, Save As)'],
]);

function encryptedError(): AppError {
  return new AppError(
    'encrypted',
    'The Office document is protected by a password. Open it, remove the password (File, Info, Protect, Encrypt with Password: leave it empty), save it and upload it again.',
  );
}

function unsupportedError(mediaType: string): AppError {
  const conversion = CONVERSIONS.get(mediaType);
  if (conversion !== undefined) {
    return new AppError(
      'unsupported_type',
      `The file is ${describeType(mediaType)}, which no reader reads by itself. ${conversion} and upload the result, or use the reader unstructured if its server is configured.`,
    );
  }
  return new AppError(
    'unsupported_type',
    `The file is ${describeType(mediaType)}, which no reader reads. Upload one of: ${KNOWN_FORMATS}.`,
  );
}

function matchesMediaType(patterns: readonly string[], mediaType: string): boolean {
  return patterns.some((pattern) =>
    pattern === '*'
      ? true
      : pattern.endsWith('/*')
        ? mediaType.startsWith(pattern.slice(0, -1))
        : pattern === mediaType,
  );
}
