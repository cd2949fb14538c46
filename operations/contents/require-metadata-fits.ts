import { validationError } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import { metadataProblem } from '#domain/filters/facets.ts';
import type { JsonObject } from '#domain/filters/filter.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Checks new metadata of contents against the chunks that they have in the index, each of which stores its terms.
 * @throws AppError `validation_failed`.
 */
export async function requireMetadataFits(
  stores: Stores,
  scope: Scope,
  change: { contentIds: readonly string[]; metadata: JsonObject | undefined },
): Promise<void> {
  const { contentIds, metadata } = change;
  if (metadata === undefined || contentIds.length === 0) return;
  // Most metadata fits whatever the number of chunks, so that it need not be known.
  if (metadataProblem(metadata, Number.MAX_SAFE_INTEGER) === null) return;
  const msg = metadataProblem(metadata, await stores.projections.mostChunks(scope, contentIds));
  if (msg !== null) throw validationError([{ loc: ['body', 'metadata'], msg, type: 'metadata_too_large' }]);
}
