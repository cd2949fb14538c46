import type { ChunkLimits } from './chunker.ts';

/**
 * The target size, chosen by measurement (`npm run bench:chunking`: 472 questions over 1.4 MB of papers, reports, chats and
 * speeches). Share of the answers' characters found in the first five chunks of a keyword search, and share of answers that are
 * complete there: 400 tokens 0.94 and 0.92, 500 tokens 0.95 and 0.93, 650 tokens 0.95 and 0.95, 800 tokens 0.96 and 0.96.
 */
const TARGET_TOKENS = 800;
/** A chunk may exceed the target size by this factor to end at a better boundary. */
const MAX_SIZE_FACTOR = 1.25;

/** The default limits of a collection. `maxTokens`: the limit of its embedder. */
export function chunkLimitsFor(maxTokens: number): ChunkLimits {
  const limit = Math.min(maxTokens, Math.ceil(TARGET_TOKENS * MAX_SIZE_FACTOR));
  return { maxTokens: limit, targetTokens: Math.min(TARGET_TOKENS, Math.ceil(limit * 0.85)) };
}
