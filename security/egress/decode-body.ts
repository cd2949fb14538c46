import { Duplex, Readable, pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { AppError } from '#domain/app-error.ts';
import { gunzip } from './gunzip.ts';

/** Sent as `Accept-Encoding`. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** Every layer is a decompressor of its own; legitimate servers send one. */
const MAX_CODINGS = 2;
/** 8 MiB, the largest window that HTTP allows (RFC 9659); zlib would accept 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } };

/** Values that servers send although they name no compression: other encodings, and names of character sets. */
const NO_COMPRESSION: ReadonlySet<string> = new Set([
  '',
  'identity',
  'none',
  'null',
  'binary',
  '7bit',
  '8bit',
  'chunked',
  'aws-chunked',
  'utf-8',
  'utf8',
  'us-ascii',
  'iso-8859-1',
]);

type Bytes = AsyncIterable<Uint8Array>;
/** Creates the decoder of one layer; for deflate it depends on the first byte. */
type Layer = (firstByte: number) => Duplex;

export type DecodeOptions = {
  /** Maximum output of any layer, in bytes. */
  maxInflatedBytes: number;
  /** Name of the source in messages. */
  shown: string;
};

/**
 * Decodes a `Content-Encoding` while streaming. The limit applies to each layer, so a decompression bomb costs no more than it.
 * @throws AppError `download_rejected` at once for an unknown coding or too many, and while streaming for malformed data;
 * `download_too_large` beyond the limit.
 */
export function decodeBody(raw: Bytes, contentEncoding: string, options: DecodeOptions): Bytes {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !NO_COMPRESSION.has(coding));
  if (codings.length > MAX_CODINGS) {
    throw new AppError(
      'download_rejected',
      `${options.shown} is compressed ${codings.length} times: send it uncompressed or compressed once.`,
    );
  }
  // The coding that is named last was applied last.
  return codings
    .reverse()
    .reduce<Bytes>((source, coding) => decodeLayer(source, layerOf(coding, options.shown), options), raw);
}

function layerOf(coding: string, shown: string): Layer {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return () => Duplex.from(gunzip);
    case 'deflate':
      // `deflate` means zlib (RFC 9110), but servers also send raw deflate: the low half of a zlib stream's first byte is always 8.
      return (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw());
    case 'br':
      return () => createBrotliDecompress();
    case 'zstd':
      return () => createZstdDecompress(ZSTD_WINDOW);
    default:
      throw new AppError(
        'download_rejected',
        `${shown} is sent in an unsupported Content-Encoding: ${coding.slice(0, 40)}.`,
      );
  }
}

async function readFirstChunk(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  let step = await iterator.next();
  while (step.done !== true && step.value.byteLength === 0) step = await iterator.next();
  return step;
}

async function* prepend(
  first: IteratorResult<Uint8Array>,
  iterator: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done !== true) yield first.value;
  yield* iterator;
}

async function* decodeLayer(raw: Bytes, layer: Layer, options: DecodeOptions): AsyncGenerator<Uint8Array> {
  let sourceError: unknown;
  const iterator = reportErrors(raw, (error) => (sourceError = error));
  const first = await readFirstChunk(iterator);
  // An empty body is empty in every coding.
  if (first.done === true) return;
  const decoder = layer(first.value[0] ?? 0);
  // Forwards errors, and closes the source when the consumer stops early.
  pipeline(Readable.from(prepend(first, iterator), { objectMode: true, highWaterMark: 1 }), decoder, () => {});
  let inflatedBytes = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
      inflatedBytes += chunk.byteLength;
      if (inflatedBytes > options.maxInflatedBytes) {
        throw new AppError(
          'download_too_large',
          `${options.shown} expands to more than the limit of ${options.maxInflatedBytes} bytes.`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    if (error instanceof AppError) throw error;
    const message = `${options.shown} is not in the Content-Encoding that it states, or is truncated.`;
    throw new AppError('download_rejected', message, { cause: error });
  }
}

/** Reports the errors of the source itself, not those with which its reader ends it. */
async function* reportErrors(source: Bytes, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await iterator.next().catch((error: unknown) => {
        onError(error);
        throw error;
      });
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    await iterator.return?.();
  }
}
