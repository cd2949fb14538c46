import type { ChunkHit } from '#store/contents/chunk-hits.ts';
import type { ContentOfChunk, PublishedChunk } from '#store/contents/published-chunks.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';

/** Everything that a result shows. */
export type ChunkRow = PublishedChunk & ContentOfChunk & { context: string };

/**
 * A hit that Postgres confirms. `row` has the text only where few hits were verified: `completeHits` reads it. `boost`: what the
 * age of the content makes of the score, 1 without `recency`.
 */
export type VerifiedHit = { row: Omit<ChunkHit, 'metadata'> | ChunkRow; hit: Hit; boost: number };
