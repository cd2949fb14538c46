import { inflateSync } from 'node:zlib';
import { parsePdfValue, type PdfDictionary, type PdfReference, type PdfValue } from './pdf-value.ts';

/** The objects of a PDF file, for what pdfium gives no access to. */
export type FileObjects = {
  catalog: PdfDictionary | null;
  /** The value that a reference stands for; other values stand for themselves. */
  resolve(this: void, value: PdfValue | undefined): PdfValue;
};

type ObjectStream = { position: number; head: string; content: Buffer };
/** Where the text of an object is; of several objects of a number the last one in the file counts, as revisions are appended. */
type Place = { position: number; source: Buffer; start: number; end?: number };

const OBJECT_STREAM = '/ObjStm';
const [MAX_STREAMS, MAX_STREAM_BYTES, MAX_STREAMS_BYTES] = [10_000, 16 * 1024 * 1024, 64 * 1024 * 1024];
const MAX_OBJECT_BYTES = 1024 * 1024;
const MAX_HEAD_BYTES = 1_000;
const MAX_REFERENCES = 10;

/** Reads the objects of a file if these bytes are in one of them that is not encrypted; otherwise null, at little cost. */
export function readFileObjects(file: Buffer, bytes: string): FileObjects | null {
  const streams = inflateObjectStreams(file);
  if (!file.includes(bytes) && !streams.some(({ content }) => content.includes(bytes))) return null;
  const places = findObjects(file, streams);
  const values = new Map<number, PdfValue>();
  const valueOf = (number: number): PdfValue => {
    const place = places.get(number);
    const value = values.get(number) ?? (place ? parsePdfValue(textAt(place)) : null);
    values.set(number, value);
    return value;
  };
  const resolve = (value: PdfValue | undefined): PdfValue => {
    let found = value;
    for (let count = 0; count < MAX_REFERENCES && isReference(found); count += 1) found = valueOf(found.reference);
    return isReference(found) ? null : (found ?? null);
  };
  const catalog = resolve(findRoot(file));
  return { catalog: isDictionary(catalog) ? catalog : null, resolve };
}

/** Whether a value is a dictionary. */
export function isDictionary(value: PdfValue): value is PdfDictionary {
  return value instanceof Map;
}

/** Whether a value is a reference. */
export function isReference(value: PdfValue | undefined): value is PdfReference {
  return typeof value === 'object' && value !== null && 'reference' in value;
}

function textAt({ source, start, end = source.indexOf('endobj', start) }: Place): string {
  return source.toString('latin1', start, Math.min(end < start ? source.length : end, start + MAX_OBJECT_BYTES));
}

/** The reference to the catalog in the last trailer, or in the dictionary of the last cross-reference stream. */
function findRoot(file: Buffer): PdfValue {
  for (let at = file.lastIndexOf('/Root'); at > 0; at = file.lastIndexOf('/Root', at - 1)) {
    const value = parsePdfValue(file.toString('latin1', at + '/Root'.length, at + MAX_HEAD_BYTES));
    if (isReference(value)) return value;
  }
  return null;
}

/** Streams that are encrypted or damaged are empty. */
function inflateObjectStreams(file: Buffer): ObjectStream[] {
  const streams: ObjectStream[] = [];
  let [at, left] = [file.indexOf(OBJECT_STREAM), MAX_STREAMS_BYTES];
  while (at >= 0 && left > 0 && streams.length < MAX_STREAMS) {
    const keyword = file.indexOf('stream', at);
    if (keyword < 0) break;
    const before = Math.max(0, at - MAX_HEAD_BYTES);
    const position = before + Math.max(0, file.subarray(before, at).lastIndexOf('obj'));
    const head = file.toString('latin1', position, keyword);
    const start = keyword + (file[keyword + 'stream'.length] === 0x0d ? 'stream\r\n' : 'stream\n').length;
    const isCompressed = head.includes('/FlateDecode');
    const end = isCompressed ? file.length : file.indexOf('endstream', start);
    if (end < 0) break;
    const content = isCompressed ? inflate(file.subarray(start)) : file.subarray(start, end);
    left -= content.length;
    streams.push({ position, head, content });
    at = file.indexOf(OBJECT_STREAM, start);
  }
  return streams;
}

/** Inflates the stream at the beginning of the bytes; what follows it is ignored. */
function inflate(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}

function findObjects(file: Buffer, streams: readonly ObjectStream[]): Map<number, Place> {
  const places = new Map<number, Place>();
  const add = (number: number, place: Place): void => {
    if (place.position >= (places.get(number)?.position ?? 0)) places.set(number, place);
  };
  for (let at = file.indexOf(' obj'); at >= 0; at = file.indexOf(' obj', at + 1)) {
    const number = /(\d+)\s+\d+$/.exec(file.toString('latin1', Math.max(0, at - 20), at))?.[1];
    if (number !== undefined) add(Number(number), { position: at, source: file, start: at + ' obj'.length });
  }
  for (const { position, head, content } of streams) {
    const first = Number(/\/First\s+(\d+)/.exec(head)?.[1] ?? 0);
    const numbers = content.toString('latin1', 0, first).match(/\d+/g) ?? [];
    for (let index = 0; index + 1 < numbers.length; index += 2) {
      const [start, end] = [first + Number(numbers[index + 1]), first + Number(numbers[index + 3] ?? content.length)];
      add(Number(numbers[index]), { position, source: content, start, end });
    }
  }
  return places;
}
