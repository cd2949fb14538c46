import type { Transform } from 'node:stream';
import { callbackify } from 'node:util';
import { MultipartParser } from 'formidable';
import type { PluginFunction } from 'formidable';
import { createPause } from '#operations/pause.ts';

/** Maximum size of the headers of one part. */
const MAX_PART_HEADER_BYTES = 16 * 1024;

/** Data tokens below this size are merged. */
const SMALL_TOKEN_BYTES = 1024;
const MERGED_TOKEN_BYTES = 64 * 1024;
/** Bytes that are parsed without a pause: they may hold a few dozen small parts. */
const PIECE_BYTES = 8 * 1024;

/** What the parser emits for each piece that it recognises. */
type Token = { name: string; buffer?: Buffer; start?: number; end?: number };

/**
 * Adds limits that the form parser does not have: bytes of the whole request, bytes of the headers of a part, which it would
 * buffer without limit, and work per byte. `fail` aborts parsing with an error; after `stop`, no further part is found.
 */
export function guardMultipart(maxRequestBytes: number, tooLarge: () => Error) {
  let parser: Transform | null = null;
  const fail = (error: Error): void => {
    parser?.destroy(error);
  };
  const plugin: PluginFunction = (form) => {
    form.on('progress', (receivedBytes: number) => {
      if (receivedBytes > maxRequestBytes) fail(tooLarge());
    });
    const found: unknown = Reflect.get(form, '_parser');
    if (!(found instanceof MultipartParser)) return;
    parser = found;
    mergeSmallTokens(found);
    parseInPieces(found);
    let headerBytes = 0;
    found.on('data', ({ name, start = 0, end = 0 }: Token) => {
      if (name === 'partBegin') headerBytes = 0;
      if (name !== 'headerField' && name !== 'headerValue') return;
      headerBytes += end - start;
      if (headerBytes > MAX_PART_HEADER_BYTES) fail(new OversizedHeaderError());
    });
  };
  const stop = (): void => void parser?.destroy();
  return { plugin, fail, stop };
}

/**
 * Merges small data tokens. The parser splits data at every byte that might begin a boundary, and each token costs microseconds
 * and a hundred bytes of memory: a file of line breaks would block the process for minutes.
 */
function mergeSmallTokens(parser: Transform): void {
  const merged = Buffer.allocUnsafe(MERGED_TOKEN_BYTES);
  let sizeBytes = 0;
  const push = parser.push.bind(parser);
  // oxlint-disable-next-line no-underscore-dangle -- the name Node gives it
  const transform = parser._transform.bind(parser);
  const flush = (): void => {
    if (sizeBytes === 0) return;
    const buffer = Buffer.from(merged.subarray(0, sizeBytes));
    sizeBytes = 0;
    push({ name: 'partData', buffer, start: 0, end: buffer.length });
  };
  parser.push = (token: Token | null): boolean => {
    const { name, buffer, start = 0, end = 0 } = token ?? { name: 'end of input' };
    if (name === 'partData' && buffer !== undefined && end - start < SMALL_TOKEN_BYTES) {
      if (sizeBytes + end - start > MERGED_TOKEN_BYTES) flush();
      sizeBytes += buffer.copy(merged, sizeBytes, start, end);
      return true;
    }
    flush();
    return push(token);
  };
  // oxlint-disable-next-line no-underscore-dangle -- as above
  parser._transform = (bytes, encoding, done) =>
    transform(bytes, encoding, (error) => {
      flush();
      done(error);
    });
}

/**
 * Lets other requests go on between the small parts of a form: those of one network packet would hold the event loop too long.
 * The request may end meanwhile.
 */
function parseInPieces(parser: Transform): void {
  // oxlint-disable-next-line no-underscore-dangle -- the name Node gives it
  const transform = parser._transform.bind(parser);
  const pause = createPause();
  const parse = async (bytes: Buffer, encoding: BufferEncoding) => {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      transform(bytes.subarray(start, start + PIECE_BYTES), encoding, (error) => (error ? reject(error) : resolve()));
      await promise;
      await pause();
      if (parser.destroyed) return;
    }
  };
  // oxlint-disable-next-line no-underscore-dangle -- as above
  parser._transform = callbackify(parse);
}

/** Has the shape of the parser's own errors for an unreadable form. */
class OversizedHeaderError extends Error {
  readonly httpCode = 400;
  constructor() {
    super(`the headers of a part have more than ${MAX_PART_HEADER_BYTES} bytes`);
    this.name = 'OversizedHeaderError';
  }
}
