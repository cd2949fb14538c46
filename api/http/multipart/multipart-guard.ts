import type { Transform } from 'node:stream';
import { MultipartParser } from 'formidable';
import type { PluginFunction } from 'formidable';

/** Most bytes of the headers of one part. */
const MAX_PART_HEADER_BYTES = 16 * 1024;

/** Data tokens below this size are put together. */
const SMALL_TOKEN_BYTES = 1024;
const MERGED_TOKEN_BYTES = 64 * 1024;

/** What the parser tells of each piece it recognises. */
type Token = { name: string; buffer?: Buffer; start?: number; end?: number };

/**
 * Limits that the form parser has not: bytes of the whole request, bytes of the headers of a part, which it would
 * gather without end, and work per byte. `fail` ends the parsing with an error of ours.
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
    let headerBytes = 0;
    found.on('data', ({ name, start = 0, end = 0 }: Token) => {
      if (name === 'partBegin') headerBytes = 0;
      if (name !== 'headerField' && name !== 'headerValue') return;
      headerBytes += end - start;
      if (headerBytes > MAX_PART_HEADER_BYTES) fail(new OversizeHeader());
    });
  };
  return { plugin, fail };
}

/**
 * The parser cuts data at every byte that might begin a boundary. As a token each, such crumbs cost microseconds and a
 * hundred bytes of memory a byte: a file of line breaks would occupy the process for minutes.
 */
function mergeSmallTokens(parser: Transform): void {
  const gathered = Buffer.allocUnsafe(MERGED_TOKEN_BYTES);
  let sizeBytes = 0;
  const push = parser.push.bind(parser);
  // oxlint-disable-next-line no-underscore-dangle -- the name Node gives it
  const transform = parser._transform.bind(parser);
  const flush = (): void => {
    if (sizeBytes === 0) return;
    const buffer = Buffer.from(gathered.subarray(0, sizeBytes));
    sizeBytes = 0;
    push({ name: 'partData', buffer, start: 0, end: buffer.length });
  };
  parser.push = (token: Token | null): boolean => {
    const { name, buffer, start = 0, end = 0 } = token ?? { name: 'end of input' };
    if (name === 'partData' && buffer !== undefined && end - start < SMALL_TOKEN_BYTES) {
      if (sizeBytes + end - start > MERGED_TOKEN_BYTES) flush();
      sizeBytes += buffer.copy(gathered, sizeBytes, start, end);
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

/** Told as the parser tells a form it cannot read. */
class OversizeHeader extends Error {
  readonly httpCode = 400;
  constructor() {
    super(`the headers of a part have more than ${MAX_PART_HEADER_BYTES} bytes`);
    this.name = 'OversizeHeader';
  }
}
