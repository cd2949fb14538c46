import type { Readable } from 'node:stream';

/**
 * Yields the lines of a stream as they come. Only a line feed ends a line: readline also takes U+2028 and U+2029 for ends, which
 * JSON may contain.
 */
export async function* readLines(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of input.setEncoding('utf8')) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
