import type { Writable } from 'node:stream';
import type { Part } from 'formidable';
import { AppError } from '#domain/app-error.ts';
import type { SpooledBlob } from '#domain/blob-store.ts';

import type { MinimumRate } from '#api/http/request/minimum-rate.ts';
import { fileNameOf } from './file-name.ts';
import {
  createDiscardingSink,
  createPartSink,
  KeptHeads,
  type PartSink,
  type StoreBytes,
  type PartOutcome,
} from './part-sink.ts';

/** Maximum size of all fields together, including their names; they are held in memory. */
const MAX_FIELD_BYTES = 8 * 1024 * 1024;
/** Maximum number of fields. */
const MAX_FIELDS = 20_000;
/** Parts of one request that are written to disk at the same time. */
const WRITE_CONCURRENCY = 4;
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['', 'binary', '7bit', '8bit']);

/** `bytes` is a buffer whose first `sizeBytes` are used. */
type Field = { name: string; bytes: Buffer; sizeBytes: number };
type Streamed = Omit<StreamedPart, 'outcome'> & { sink: PartSink };

/** Collects the parts of one form as the parser finds them. Its methods never throw, because the parser would not catch it. */
export class PartCollector {
  readonly #options: MultipartOptions;
  readonly #fail: (error: AppError) => void;
  readonly #fields: Field[] = [];
  readonly #parts: Streamed[] = [];
  readonly #heads = new KeptHeads();
  #fieldBytes = 0;

  /** `fail` aborts the whole request. */
  constructor(options: MultipartOptions, fail: (error: AppError) => void) {
    this.#options = options;
    this.#fail = fail;
  }

  /** Accepts a part, as a field or, through `handlePart`, as a stream. */
  begin(part: Part, handlePart: (part: Part) => void): void {
    const headers = headersOf(part);
    const encoding = headers['content-transfer-encoding'] ?? '';
    if (part.name === null) {
      this.#fail(new AppError('invalid_request', 'A part of the form has no name.'));
    } else if (!IDENTITY_ENCODINGS.has(encoding.toLowerCase())) {
      this.#fail(
        new AppError('invalid_request', 'Send parts without encoding: Content-Transfer-Encoding is not supported.'),
      );
    } else {
      const name = Buffer.from(part.name, 'latin1').toString('utf8');
      if (!this.#options.streamed.has(name)) this.#addField(name, part);
      else
        this.#addStreamedPart(
          { field: name, name: fileNameOf(headers['content-disposition'] ?? '') },
          part,
          handlePart,
        );
    }
  }

  /** Returns the stream for a part that the parser opens as a file. */
  streamFor(file: object | undefined): Writable {
    const index = file === undefined ? NaN : Number(Reflect.get(file, 'originalFilename'));
    return (this.#parts[index]?.sink ?? createDiscardingSink(this.#tooManyItems())).stream;
  }

  /** Returns all parts. To be called when the parser has finished. */
  async collect(): Promise<MultipartBody> {
    const parts = this.#parts.map(async ({ sink, ...part }) => ({ ...part, outcome: await sink.outcome }));
    return { fields: this.#fieldParts(), parts: await Promise.all(parts) };
  }

  /** Destroys every stream and waits for the store. */
  async abort(): Promise<void> {
    for (const { sink } of this.#parts) sink.stream.destroy();
    await Promise.all(this.#parts.map(({ sink }) => sink.outcome));
  }

  #fieldParts(): FieldPart[] {
    return this.#fields.map((field) => ({ name: field.name, value: textOf(field) }));
  }

  #addField(name: string, part: Part): void {
    const field: Field = { name, bytes: Buffer.alloc(0), sizeBytes: 0 };
    if (this.#fields.push(field) > MAX_FIELDS) {
      this.#fail(new AppError('payload_too_large', `A form may have at most ${MAX_FIELDS} fields.`));
    }
    this.#countFieldBytes(Buffer.byteLength(name));
    part.on('data', (bytes: Buffer) => {
      if (this.#countFieldBytes(bytes.length)) append(field, bytes);
    });
  }

  /** Adds to the size of all fields; false when it exceeds the limit. */
  #countFieldBytes(sizeBytes: number): boolean {
    this.#fieldBytes += sizeBytes;
    if (this.#fieldBytes <= MAX_FIELD_BYTES) return true;
    const message = `The fields of a form may have at most ${MAX_FIELD_BYTES} bytes; only files and content may be larger.`;
    this.#fail(new AppError('payload_too_large', message));
    return false;
  }

  #addStreamedPart(named: { field: string; name: string | null }, part: Part, handlePart: (part: Part) => void): void {
    const index = this.#parts.length;
    const { maxParts } = this.#options;
    const store: StoreBytes = (bytes) => this.#options.store(bytes, () => this.#fieldParts());
    if (index >= maxParts * 2) {
      this.#fail(new AppError('payload_too_large', this.#tooManyItems().message));
      return;
    }
    const before = this.#parts[index - WRITE_CONCURRENCY]?.sink;
    const sink =
      index < maxParts
        ? createPartSink(storeAfter(before, store), this.#heads)
        : createDiscardingSink(this.#tooManyItems());
    this.#parts.push({ ...named, declaredType: part.mimetype, sink });
    // Both are for the parser only: it treats a part with a media type as a file and passes the name to `streamFor`.
    part.mimetype ??= 'application/octet-stream';
    part.originalFilename = String(index);
    handlePart(part);
  }

  #tooManyItems(): AppError {
    const { maxParts } = this.#options;
    return new AppError('too_many_items', `An upload may have at most ${maxParts} items; send the rest in another.`);
  }
}

/** Delays a part until an earlier part is stored, so that a thousand small files are not open at once. */
function storeAfter(before: PartSink | undefined, store: StoreBytes): StoreBytes {
  if (before === undefined) return store;
  return async (bytes) => {
    await before.outcome;
    return store(bytes);
  };
}

/** Returns the headers of a part by lower-case name. The types of the parser do not declare them. */
function headersOf(part: Part): Record<string, string | undefined> {
  const headers: unknown = Reflect.get(part, 'headers');
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Appends bytes. The buffer doubles when it is full, because bytes may arrive one by one. */
function append(field: Field, bytes: Buffer): void {
  const sizeBytes = field.sizeBytes + bytes.length;
  if (sizeBytes > field.bytes.length) {
    const larger = Buffer.alloc(Math.max(sizeBytes, 2 * field.bytes.length));
    field.bytes.copy(larger, 0, 0, field.sizeBytes);
    field.bytes = larger;
  }
  bytes.copy(field.bytes, field.sizeBytes);
  field.sizeBytes = sizeBytes;
}

/** Returns the text of a field; null when its bytes are not UTF-8. */
function textOf({ bytes, sizeBytes }: Field): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, sizeBytes));
  } catch {
    return null;
  }
}

/** A form part whose bytes were streamed to the store. */
export type StreamedPart = {
  field: string;
  /** Safe base name; null or `''` when the part has no file name, as for an unused file input. */
  name: string | null;
  declaredType: string | null;
  outcome: PartOutcome;
};

/** A form part that is held in memory as text; null when its bytes are not UTF-8. */
export type FieldPart = { name: string; value: string | null };

export type MultipartBody = { fields: FieldPart[]; parts: StreamedPart[] };

export type MultipartOptions = {
  /** Names of the parts that are streamed; all others are fields and held in memory. */
  streamed: ReadonlySet<string>;
  /** `fields`: those that came before the bytes. */
  store: (bytes: AsyncIterable<Uint8Array>, fields: () => FieldPart[]) => Promise<SpooledBlob>;
  maxRequestBytes: number;
  /** What the body must at least arrive at; a default applies. */
  minimumRate?: MinimumRate | undefined;
  /** Streamed parts beyond this number are rejected one by one; beyond twice this number the request fails. */
  maxParts: number;
};
