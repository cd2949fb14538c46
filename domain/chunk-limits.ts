import type { ChunkLimits } from './chunker.ts';

/** Best by measurement with a 256 token model; larger chunks find more text but say less exactly where. */
const TARGET_TOKENS = 220;

/** The limits used where a collection sets none. `maxTokens` is the embedder's. */
export function chunkLimitsFor(maxTokens: number): ChunkLimits {
  const limit = Math.min(maxTokens, 2 * TARGET_TOKENS);
  return { maxTokens: limit, targetTokens: Math.min(TARGET_TOKENS, Math.ceil(limit * 0.85)) };
}
