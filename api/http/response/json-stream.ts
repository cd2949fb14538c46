import { Readable } from 'node:stream';
import type { z } from 'zod';

/** Text is gathered to pieces of about this many characters before it is sent. */
const PIECE_CHARACTERS = 64 * 1024;

export type ListShape = {
  /** Fields before the list. */
  head: object;
  /** Name of the list. */
  field: string;
  element: z.ZodType;
  /** Fields after the list, asked for when it has come to its end. */
  tail?: () => Record<string, unknown>;
};

/**
 * One JSON object as a stream: the fields of `head`, then a list of any length that is never whole in memory. The first
 * element is waited for, so that what fails at once is still answered with an error; what fails later cuts the answer off.
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
    // Also when the client went away: the database cursor behind it has to be closed.
    await iterator.return?.();
  }
}
