import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import type { Filter } from '#domain/filters/filter.ts';
import type { SearchRequest } from '#domain/records/search.ts';
import type { SearchedIndex } from '#store/collections/collections.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import type { Services } from '#operations/services.ts';
import { queryVectors } from './query-vectors.ts';
import type { Ranking } from './ranking.ts';

type CollectionSearch = {
  request: SearchRequest;
  filter: Filter | null;
  collectionId: string;
  signal?: AbortSignal | undefined;
};

/**
 * Ranks one collection by one query of the index.
 * @throws AppError `not_found`; `conflict` when the embedder of the collection is not configured; `dependency_unavailable`. Its
 *   searches also throw the reason of the signal.
 */
export async function rankCollection(
  services: Services,
  caller: Caller,
  { request, filter, collectionId, signal }: CollectionSearch,
): Promise<Ranking> {
  const found = await services.stores.collections.findIndex(caller.scope, collectionId);
  if (!found) throw collectionNotFound();
  const { index } = found;
  const text = { text: request.query, share: caller.scope.workspaceId, signal };
  const vectorOf = queryVectors(services, text, { hasOthers: false });
  const queryVector = request.search_type === 'keyword' ? null : await vectorOf(index.space);
  const facetQuery = filter === null ? null : compileFilter(filter);
  return {
    collectionIds: new Set([collectionId]),
    vectorOf,
    searchIndex: async (limit, exclude) => {
      signal?.throwIfAborted();
      return services.vectors.search(index.space, index.tenant, {
        type: request.search_type,
        queryText: request.query,
        queryVector,
        filter: facetQuery,
        exclude,
        limit,
        explain: request.explain,
        signal,
      });
    },
    requireIndexExists: async () => {
      const hasPublished = await services.stores.publications.hasPublished(caller.scope, collectionId);
      await requireIndexExists(services, { collectionId, index, hasPublished });
    },
    failed: () => null,
  };
}

/**
 * A Weaviate that lost its data also answers with no hits: then a collection with published chunks has no tenant.
 * @throws AppError `dependency_unavailable`.
 */
export async function requireIndexExists(services: Services, { index, hasPublished }: SearchedIndex): Promise<void> {
  if (!hasPublished || (await services.vectors.tenantExists(index.space, index.tenant))) return;
  throw new AppError(
    'dependency_unavailable',
    'The search index of this collection was lost and must be rebuilt: POST /workspaces/{workspace_id}/reindex. ' +
      'No content is lost.',
    { retryAfterS: 60 },
  );
}
