import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from '#domain/embedder.ts';
import { lexicalVector, LEXICAL_DIMENSIONS, LEXICAL_VERSION } from './lexical-vector.ts';

/** Characters embedded before the event loop gets a turn: about 10 ms. */
const CHARACTERS_PER_TURN = 40_000;
/** Of a longer text only this much is read, the same for every caller. */
const MOST_CHARACTERS = 200_000;
/** There is no window to fill: what one chunk may hold is a matter of taste. */
const MAX_TOKENS = 512;

/**
 * An embedder without weights: texts that share words and parts of words are near, synonyms are not. For machines on
 * which no model can be had, and for tests.
 */
export function createLexicalEmbedder(): Embedder {
  return {
    space: {
      provider: 'lexical',
      model: 'hashed-words',
      model_hash: LEXICAL_VERSION,
      dimensions: LEXICAL_DIMENSIONS,
    },
    maxTokens: MAX_TOKENS,
    tokenCounting: { kind: 'estimate', charactersPerToken: 4 },
    async embed(texts, _purpose, signal) {
      const vectors: Float32Array[] = [];
      let characters = 0;
      for (const text of texts) {
        signal?.throwIfAborted();
        const read = text.slice(0, MOST_CHARACTERS);
        vectors.push(lexicalVector(read));
        characters += read.length;
        if (characters > CHARACTERS_PER_TURN) {
          characters = 0;
          await nextTurn();
        }
      }
      return vectors;
    },
    async close() {},
  };
}
