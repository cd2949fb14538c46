import { cutWithin } from '#domain/chunking/sentences.ts';

/** How far before its end a window may be cut to end with a paragraph or a line, as a share. */
const SLACK = 0.5;

/**
 * A text in windows of at most `size` characters that together are the text, cut between paragraphs, else lines, else
 * sentences or words. The same text gives the same windows, however it comes in. Holds little more than one window.
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
