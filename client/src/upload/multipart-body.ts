import { randomUUID } from 'node:crypto';

/** A part of a form: a field, or with `fileName` a file. */
export type FormPart = { name: string; value: string | Blob; fileName?: string | undefined };

export type MultipartBody = {
  headers: { 'Content-Type': string; 'Content-Length': string };
  /** Yields the whole body. @throws NotReadableError if a file has changed since it was opened */
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
};

const LINE_END = '\r\n';

/**
 * Returns the body of a form. Fields are sent as they are, unlike those of a `FormData`, whose line ends become `\r\n`: texts would
 * be stored with other bytes than they were given with.
 */
export function multipartBody(parts: readonly FormPart[]): MultipartBody {
  const boundary = `loci-${randomUUID()}`;
  const pieces: (Uint8Array | Blob)[] = parts.flatMap((part) => [
    encode(headOf(part, boundary)),
    typeof part.value === 'string' ? encode(part.value) : part.value,
    encode(LINE_END),
  ]);
  pieces.push(encode(`--${boundary}--${LINE_END}`));
  const length = pieces.reduce((sum, piece) => sum + (piece instanceof Blob ? piece.size : piece.length), 0);
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}`, 'Content-Length': String(length) },
    async *bytes() {
      for (const piece of pieces) {
        if (piece instanceof Blob) yield* readBlob(piece);
        else yield piece;
      }
    },
  };
}

async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  // What a Blob streams are bytes; the types of Node.js do not say so.
  for await (const bytes of blob.stream() as AsyncIterable<Uint8Array>) yield bytes;
}

function headOf({ name, value, fileName }: FormPart, boundary: string): string {
  const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`;
  const type = typeof value === 'string' || value.type === '' ? 'application/octet-stream' : value.type;
  const file = fileName === undefined ? '' : `; filename="${escapeName(fileName)}"${LINE_END}Content-Type: ${type}`;
  return `--${boundary}${LINE_END}${disposition}${file}${LINE_END}${LINE_END}`;
}

/** As browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function encode(text: string): Uint8Array {
  return Buffer.from(text);
}
