import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from '#domain/embedder.ts';
import { lexicalVector, LEXICAL_DIMENSIONS, LEXICAL_VERSION } from './lexical-vector.ts';

/** Characters embedded before yielding to the event loop: about 10 ms. */
const CHARACTERS_PER_TURN = 40_000;
/** Only the beginning of a longer text is read. */
const MAX_CHARACTERS = 200_000;
/** This embedder has no input limit of its own; the value only sets the size of chunks. */
const MAX_TOKENS = 512;

/**
 * Creates an embedder that needs no model: texts that share words or parts of words are close, synonyms are not. For machines
 * without a model, and for tests.
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
    async embed(texts, _purpose, { signal } = {}) {
      const vectors: Float32Array[] = [];
      let characters = 0;
      for (const text of texts) {
        signal?.throwIfAborted();
        const read = text.slice(0, MAX_CHARACTERS);
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
