import { Readable } from 'node:stream';
import type { z } from 'zod';

/** Lines are buffered to pieces of about this many characters before they are sent. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * Streams JSON values, one a line, without ever holding all of them in memory. Waits for the first one, so that an early failure
 * still becomes an error response; a later failure cuts the response off.
 */
export async function streamJsonLines(element: z.ZodType, elements: AsyncIterable<unknown>): Promise<Readable> {
  const iterator = elements[Symbol.asyncIterator]();
  const first = await iterator.next();
  return Readable.from(pieces(element, { first, iterator }), { objectMode: false });
}

type Source = { first: IteratorResult<unknown>; iterator: AsyncIterator<unknown> };

async function* pieces(element: z.ZodType, { first, iterator }: Source): AsyncGenerator<string> {
  let piece = '';
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      piece += `${JSON.stringify(element.parse(next.value))}\n`;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  } finally {
    // Also when the client has disconnected.
    await iterator.return?.();
  }
}
