import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';

/** A chunk that was found for a question. */
export type FoundPassage = {
  content: string;
  content_id: string;
  collection_id: string;
  chunk_id: string;
  source: string;
  page: number | null;
  heading_path: string[];
  score: number;
  relevance: number;
};

/** A chunk that the model may cite. `number` counts from 1. */
export type Passage = FoundPassage & { number: number };

/**
 * Numbers the passages that together fit into `maxTokens`, best first. Passages with a text that an earlier one has are left
 * out, and the first one is always taken: the texts of chunks are short.
 */
export function selectPassages(found: readonly FoundPassage[], maxTokens: number): Passage[] {
  const texts = new Set<string>();
  const passages: Passage[] = [];
  let tokens = 0;
  for (const passage of found) {
    if (texts.has(passage.content)) continue;
    tokens += estimateTokens(passage.content);
    if (tokens > maxTokens && passages.length > 0) break;
    texts.add(passage.content);
    passages.push({ ...passage, number: passages.length + 1 });
  }
  return passages;
}
