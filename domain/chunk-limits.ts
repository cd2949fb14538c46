import type { ChunkLimits } from './chunker.ts';

/**
 * Size aimed at, chosen by measurement (472 questions over 1.4 MB of papers, reports, chats and speeches; the share of
 * the answers' characters in the first five chunks, keyword search / keyword and vector): 220 tokens 0.90 / 0.89,
 * 400 tokens 0.93 / 0.92, 500 tokens 0.95 / 0.94. Beyond it answers hardly grow and hits say less exactly where.
 */
const TARGET_TOKENS = 500;
/** A chunk may be this much longer than aimed at where a better end is near. */
const SLACK = 1.25;

/** The limits used where a collection sets none. `maxTokens` is the embedder's. */
export function chunkLimitsFor(maxTokens: number): ChunkLimits {
  const limit = Math.min(maxTokens, Math.ceil(TARGET_TOKENS * SLACK));
  return { maxTokens: limit, targetTokens: Math.min(TARGET_TOKENS, Math.ceil(limit * 0.85)) };
}
