import { cutBytes } from '#domain/cut-bytes.ts';
import { mayBeTooLong } from './embedding-error.ts';
import type { EmbeddingUnit } from './embedding-queue.ts';

/** A token of English has about four bytes of UTF-8, and one of Chinese three. */
const BYTES_PER_TOKEN = 2.5;

type EmbedUnit = (unit: EmbeddingUnit) => Promise<Float32Array[]>;

/**
 * Returns a function that embeds a unit, and queries once more with what a model of `maxTokens` reads of them if the server may have
 * found them too long: some servers cut texts, others reject them or fail. Documents are split so that they fit.
 */
export function withShorterQueries(embedUnit: EmbedUnit, maxTokens: number): EmbedUnit {
  const maxBytes = Math.floor(maxTokens * BYTES_PER_TOKEN);
  return async (unit) => {
    try {
      return await embedUnit(unit);
    } catch (error) {
      if (unit.lane !== 'query' || unit.signal.aborted || !mayBeTooLong(error)) throw error;
      const texts = unit.texts.map((text) => cutBytes(text, maxBytes));
      if (texts.every((text, at) => text === unit.texts[at])) throw error;
      return await embedUnit({ ...unit, texts });
    }
  };
}
