import { MultipartParser } from 'formidable';
import type { PluginFunction } from 'formidable';

/** Most bytes of the headers of one part. */
const MAX_PART_HEADER_BYTES = 16 * 1024;

/** What the parser tells of each piece it recognises. */
type Token = { name: string; start?: number; end?: number };

/**
 * Limits that the form parser has not: bytes of the whole request, and bytes of the headers of a part, which it would
 * gather without end. `fail` ends the parsing with an error of ours.
 */
export function guardMultipart(maxRequestBytes: number, tooLarge: () => Error) {
  let parser: InstanceType<typeof MultipartParser> | null = null;
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

/** Told as the parser tells a form it cannot read. */
class OversizeHeader extends Error {
  readonly httpCode = 400;
  constructor() {
    super(`the headers of a part have more than ${MAX_PART_HEADER_BYTES} bytes`);
    this.name = 'OversizeHeader';
  }
}
