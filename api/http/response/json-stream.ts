import { Readable } from 'node:stream';
import type { z } from 'zod';

/** Text is buffered to pieces of about this many characters before it is sent. */
const PIECE_CHARACTERS = 64 * 1024;

export type ListShape = {
  /** Fields before the list. */
  head: object;
  /** Name of the list. */
  field: string;
  element: z.ZodType;
  /** Fields after the list; called when the list has ended. */
  tail?: () => Record<string, unknown>;
};

/**
 * Streams one JSON object: the fields of `head`, then a list of any length that is never held in memory as a whole. Waits
 * for the first element, so that an early failure still becomes an error response; a later failure cuts the response off.
 */
export async function streamJsonList(shape: ListShape, elements: AsyncIterable<unknown>): Promise<Readable> {
  const iterator = elements[Symbol.asyncIterator]();
  const first = await iterator.next();
  return Readable.from(pieces(shape, { first, iterator }), { objectMode: false });
}

type Source = { first: IteratorResult<unknown>; iterator: AsyncIterator<unknown> };

async function* pieces({ head, field, element, tail }: ListShape, { first, iterator }: Source): AsyncGenerator<string> {
  const opening = JSON.stringify(head).slice(0, -1);
  let piece = `${opening}${opening === '{' ? '' : ','}${JSON.stringify(field)}:[`;
  let separator = '';
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      piece += separator + JSON.stringify(element.parse(next.value));
      separator = ',';
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    const after = Object.entries(tail?.() ?? {}).map(
      ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
    );
    yield `${piece}]${after.join('')}}`;
  } finally {
    // Also when the client has disconnected: the database cursor behind the iterator must be closed.
    await iterator.return?.();
  }
}
