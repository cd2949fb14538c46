import { cutWithin } from '#domain/chunking/sentences.ts';

/** Share of a window that may be given up so that it ends with a paragraph or a line. */
const SLACK = 0.5;

/**
 * Cuts a text into windows of at most `size` characters, between paragraphs, else lines, else sentences or words. The windows
 * together are the text, and do not depend on how it is split into `parts`. Holds little more than one window in memory.
 */
export async function* cutWindows(
  parts: AsyncIterable<string> | Iterable<string>,
  size: number,
): AsyncGenerator<string> {
  let held = '';
  for await (const part of parts) {
    held += part;
    while (held.length > size) {
      const end = windowEnd(held, size);
      yield held.slice(0, end);
      held = held.slice(end);
    }
  }
  if (held !== '') yield held;
}

function windowEnd(text: string, size: number): number {
  const lowest = Math.floor(size * (1 - SLACK));
  for (const mark of ['\n\n', '\n']) {
    const at = text.lastIndexOf(mark, size - mark.length);
    if (at + mark.length > lowest) return at + mark.length;
  }
  return cutWithin(text.slice(0, size), size).end;
}
