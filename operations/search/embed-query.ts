import { AppError } from '#domain/app-error.ts';
import { embedderName, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Services } from '#operations/services.ts';

/** Embeds a query. @throws AppError `conflict` when the embedder of the space is not configured. */
export async function embedQuery(services: Services, space: EmbeddingSpace, text: string): Promise<Float32Array> {
  const embedder = services.embedders.forSpace(space);
  if (!embedder) {
    throw new AppError(
      'conflict',
      `The collection was embedded with ${embedderName(space)}, which is not configured on this server. ` +
        'Use search_type keyword, configure that embedder, or change that of the collection: POST /collections/{collection_id}/reembed.',
    );
  }
  const [vector] = await embedder.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder returned no vector.');
  return vector;
}
