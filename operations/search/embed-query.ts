import { AppError } from '#domain/app-error.ts';
import { missingEmbedder, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Services } from '#operations/services.ts';

/** Embeds a query. @throws AppError `conflict` when the embedder of the space is not configured. */
export async function embedQuery(services: Services, space: EmbeddingSpace, text: string): Promise<Float32Array> {
  const embedder = services.embedders.forSpace(space);
  if (!embedder) {
    throw new AppError(
      'conflict',
      missingEmbedder(space, {
        all: services.embedders.all,
        instead:
          'use search_type keyword, or change the embedder of the collection: POST /collections/{collection_id}/reembed',
      }),
    );
  }
  const [vector] = await embedder.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder returned no vector.');
  return vector;
}
