import type { EmbeddingSpace } from './embedder.ts';

/** What a process with a local model and one that asks it agree on, besides the embeddings form of the OpenAI API. */

/** Says whether texts are queries, or documents of which lane: `query`, `express`, `bulk`. Without it they are `bulk`. */
export const LANE_HEADER = 'x-loci-lane';

/** Names the model in a form that a header may have: a request waits for its turn before its body is read. */
export const MODEL_HEADER = 'x-loci-model';

/** Names a model and its weights: vectors of others with the same name must not be compared. */
export function servedModelOf({ model, model_hash: hash }: EmbeddingSpace): string {
  return `${model}@${hash}`;
}
