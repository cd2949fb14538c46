import type { Writable } from 'node:stream';
import type { Part } from 'formidable';
import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';

import { fileNameOf } from './file-name.ts';
import { createDiscardingSink, createPartSink, type PartSink, type StoreBytes, type PartOutcome } from './part-sink.ts';

/** Most bytes of all fields together, names included; they are held in memory. */
export const MAX_FIELD_BYTES = 8 * 1024 * 1024;
/** Most parts that are fields. */
const MAX_FIELDS = 20_000;
/** Parts of one request that are being flushed to the disk at a time. */
const FLUSHING = 4;
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['', 'binary', '7bit', '8bit']);

/** `bytes` has room for more than the `sizeBytes` that are there. */
type Field = { name: string; bytes: Buffer; sizeBytes: number };
type Streamed = Omit<StreamedPart, 'outcome'> & { sink: PartSink };

/** The parts of one form as the parser finds them. Its methods never throw: the parser would not catch it. */
export class PartCollector {
  readonly #options: MultipartOptions;
  readonly #fail: (error: AppError) => void;
  readonly #fields: Field[] = [];
  readonly #parts: Streamed[] = [];
  #fieldBytes = 0;

  /** `fail` makes the whole request fail. */
  constructor(options: MultipartOptions, fail: (error: AppError) => void) {
    this.#options = options;
    this.#fail = fail;
  }

  /** Takes a part on: as a field, or by `handlePart` to a sink. */
  begin(part: Part, handlePart: (part: Part) => void): void {
    const headers = headersOf(part);
    const encoding = headers['content-transfer-encoding'] ?? '';
    if (part.name === null) {
      this.#fail(new AppError('invalid_request', 'A part of the form has no name.'));
    } else if (!IDENTITY_ENCODINGS.has(encoding.toLowerCase())) {
      this.#fail(new AppError('invalid_request', 'Send parts as they are: no Content-Transfer-Encoding is supported.'));
    } else {
      const name = Buffer.from(part.name, 'latin1').toString('utf8');
      if (!this.#options.streamed.has(name)) this.#hold(name, part);
      else this.#stream({ field: name, name: fileNameOf(headers['content-disposition'] ?? '') }, part, handlePart);
    }
  }

  /** The stream for a part that the parser opens as a file. */
  streamFor(file: object | undefined): Writable {
    const index = file === undefined ? NaN : Number(Reflect.get(file, 'originalFilename'));
    return (this.#parts[index]?.sink ?? createDiscardingSink(this.#tooManyItems())).stream;
  }

  /** Everything, once the parser has come to the end. */
  async whole(): Promise<MultipartBody> {
    const parts = this.#parts.map(async ({ sink, ...part }) => ({ ...part, outcome: await sink.outcome }));
    const fields = this.#fields.map((field) => ({ name: field.name, value: textOf(field) }));
    return { fields, parts: await Promise.all(parts) };
  }

  /** Ends every stream and waits for the store; returns what it has stored. */
  async abort(): Promise<StoredBlob[]> {
    for (const { sink } of this.#parts) sink.stream.destroy();
    const outcomes = await Promise.all(this.#parts.map(({ sink }) => sink.outcome));
    return outcomes.flatMap((outcome) => (outcome.kind === 'stored' ? [outcome.blob] : []));
  }

  #hold(name: string, part: Part): void {
    const field: Field = { name, bytes: Buffer.alloc(0), sizeBytes: 0 };
    if (this.#fields.push(field) > MAX_FIELDS) {
      this.#fail(new AppError('payload_too_large', `A form may have at most ${MAX_FIELDS} fields.`));
    }
    this.#count(Buffer.byteLength(name));
    part.on('data', (bytes: Buffer) => {
      if (this.#count(bytes.length)) append(field, bytes);
    });
  }

  /** False when the fields have become too many bytes. */
  #count(sizeBytes: number): boolean {
    this.#fieldBytes += sizeBytes;
    if (this.#fieldBytes <= MAX_FIELD_BYTES) return true;
    const message = `The fields of a form may have at most ${MAX_FIELD_BYTES} bytes; only files and content may be larger.`;
    this.#fail(new AppError('payload_too_large', message));
    return false;
  }

  #stream(named: { field: string; name: string | null }, part: Part, handlePart: (part: Part) => void): void {
    const index = this.#parts.length;
    const { maxParts, store } = this.#options;
    if (index >= maxParts * 2) {
      this.#fail(new AppError('payload_too_large', this.#tooManyItems().message));
      return;
    }
    const before = this.#parts[index - FLUSHING]?.sink;
    const sink =
      index < maxParts ? createPartSink(storeAfter(before, store)) : createDiscardingSink(this.#tooManyItems());
    this.#parts.push({ ...named, declaredType: part.mimetype, sink });
    // Both are for the parser only: it takes a part with a media type as a file, and hands the name on to `streamFor`.
    part.mimetype ??= 'application/octet-stream';
    part.originalFilename = String(index);
    handlePart(part);
  }

  #tooManyItems(): AppError {
    const { maxParts } = this.#options;
    return new AppError('too_many_items', `An upload may have at most ${maxParts} items; send the rest in another.`);
  }
}

/** Holds a part back until one some places before it is stored, so that a thousand small files do not open at once. */
function storeAfter(before: PartSink | undefined, store: StoreBytes): StoreBytes {
  if (before === undefined) return store;
  return async (bytes) => {
    await before.outcome;
    return store(bytes);
  };
}

/** The parser keeps the headers by lower-case name, but its types do not say so. */
function headersOf(part: Part): Record<string, string | undefined> {
  const headers: unknown = Reflect.get(part, 'headers');
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Doubles the room when it is used up: bytes may come one by one. */
function append(field: Field, bytes: Buffer): void {
  const sizeBytes = field.sizeBytes + bytes.length;
  if (sizeBytes > field.bytes.length) {
    const roomier = Buffer.alloc(Math.max(sizeBytes, 2 * field.bytes.length));
    field.bytes.copy(roomier, 0, 0, field.sizeBytes);
    field.bytes = roomier;
  }
  bytes.copy(field.bytes, field.sizeBytes);
  field.sizeBytes = sizeBytes;
}

/** Null where the bytes are no UTF-8. */
function textOf({ bytes, sizeBytes }: Field): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, sizeBytes));
  } catch {
    return null;
  }
}

/** A part whose bytes went to the store. */
export type StreamedPart = {
  field: string;
  /** Safe base name; null or `''` when the part names no file, as an unused file input does. */
  name: string | null;
  declaredType: string | null;
  outcome: PartOutcome;
};

/** A part held as text; null where its bytes are no UTF-8. */
export type FieldPart = { name: string; value: string | null };

export type MultipartBody = { fields: FieldPart[]; parts: StreamedPart[] };

export type MultipartOptions = {
  /** Names of parts that are streamed, never held; all others are fields. */
  streamed: ReadonlySet<string>;
  store: StoreBytes;
  maxRequestBytes: number;
  /** Streamed parts beyond this many are refused one by one; beyond twice as many the request is. */
  maxParts: number;
  /** Called with what was stored when the request fails after it. */
  onAbandoned: (blobs: StoredBlob[]) => Promise<void>;
};
