import { AppError } from '#domain/app-error.ts';
import { missingEmbedder, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Services } from '#operations/services.ts';

/** `share`: the workspace whose turn it takes. `signal`: aborted when nobody waits for the vector any more. */
export type QueryText = { text: string; share: string; signal?: AbortSignal | undefined };

/** Embeds a query. @throws AppError `conflict` when the embedder of the space is not configured; the reason of `signal`. */
export async function embedQuery(
  services: Pick<Services, 'embedders'>,
  space: EmbeddingSpace,
  { text, share, signal }: QueryText,
): Promise<Float32Array> {
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
  const [vector] = await embedder.embed([text], 'query', { share, signal });
  if (!vector) throw new AppError('internal', 'The embedder returned no vector.');
  return vector;
}
