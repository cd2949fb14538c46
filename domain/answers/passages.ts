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

/** Bytes of UTF-8 that are taken for one token: a little less than models need for English, about what they need for Chinese. */
const BYTES_PER_TOKEN = 3;

/** An upper estimate of the number of tokens of a text; the tokenizer of the model is not known. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

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
