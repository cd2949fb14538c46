import { cutBytes } from '#domain/cut-bytes.ts';
import type { Embedder } from '#domain/embedder.ts';
import { addWeighted, toUnitVector } from './unit-vector.ts';

/**
 * Returns a function that embeds documents of more than `maxBytes` in parts of similar lengths: the vector is the mean of theirs,
 * weighted by length. Chunks are longer than what a model reads at once if they were made for another one.
 */
export function withLongDocuments(embedder: Embedder, maxBytes: number): Embedder['embed'] {
  return async (texts, purpose, options) => {
    if (purpose === 'query') return embedder.embed(texts, purpose, options);
    const documents = texts.map((text) => splitText(text, maxBytes));
    const vectors = await embedder.embed(documents.flat(), purpose, options);
    let at = 0;
    return documents.map((parts) => {
      const own = vectors.slice(at, (at += parts.length));
      const [first] = own;
      if (!first || own.length < parts.length) throw new RangeError('there are fewer vectors than texts');
      if (own.length === 1) return first;
      const sum = new Float32Array(first.length);
      for (const [place, vector] of own.entries()) addWeighted(sum, vector, Buffer.byteLength(parts[place] ?? ''));
      return toUnitVector(sum);
    });
  };
}

/** Splits a text between words, where it has them, into parts of at most `maxBytes` of UTF-8. */
function splitText(text: string, maxBytes: number): string[] {
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const bytes = Buffer.byteLength(rest);
    if (bytes <= maxBytes) return [...parts, rest];
    const part = cutBytes(rest, Math.ceil(bytes / Math.ceil(bytes / maxBytes)));
    const space = part.search(/\s\S*$/);
    const end = space > part.length / 2 ? space + 1 : part.length;
    parts.push(part.slice(0, end));
    rest = rest.slice(end);
  }
}
