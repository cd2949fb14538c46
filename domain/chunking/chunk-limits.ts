import type { ChunkLimits } from './chunker.ts';

/**
 * Size aimed at, chosen by measurement (`npm run bench:chunking`: 472 questions over 1.4 MB of papers, reports, chats and
 * speeches; the share of the answers' characters in the first five chunks of a keyword search, and of answers that are there
 * whole): 400 tokens 0.94 and 0.92, 500 tokens 0.95 and 0.93, 650 tokens 0.95 and 0.95, 800 tokens 0.96 and 0.96.
 */
const TARGET_TOKENS = 800;
/** A chunk may be this much longer than aimed at where a better end is near. */
const SLACK = 1.25;

/** The limits used where a collection sets none. `maxTokens` is the embedder's. */
export function chunkLimitsFor(maxTokens: number): ChunkLimits {
  const limit = Math.min(maxTokens, Math.ceil(TARGET_TOKENS * SLACK));
  return { maxTokens: limit, targetTokens: Math.min(TARGET_TOKENS, Math.ceil(limit * 0.85)) };
}
